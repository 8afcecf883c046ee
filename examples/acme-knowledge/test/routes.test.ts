import { after, it } from 'node:test';
import { routeContract, startWithPlugins } from 'slipway/testing';
import config from '../slipway.config.js';
import { acmeKnowledge } from '../src/plugin.js';
import { refusals, samples } from './samples.js';

const service = await startWithPlugins(config);
after(() => service.stop());

for (const { name, run } of await routeContract(service, { of: acmeKnowledge, samples, refusals })) it(name, run);
