import { defineSlipwayConfig } from 'slipway/plugin';
import { acmeKnowledge } from './src/plugin.js';

export default defineSlipwayConfig({ plugins: [acmeKnowledge] });
