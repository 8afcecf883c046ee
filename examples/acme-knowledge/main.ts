import { start } from 'slipway';

await start(() => import('./slipway.config.js'));
