import { start } from 'slipway';
import config from './slipway.config.js';

await start(config);
