import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { folderWithClient } from './packed.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant, { welcomeMessage: 'Welcome aboard.' });
const folder = await folderWithClient();
const env = { SLIPWAY_URL: service.url, SLIPWAY_API_KEY: tenant.key };
afterAll(() => service.stop());

it('a script in an empty folder with the packed client creates a session and gets an answer', async () => {
  const script = `
    import { byReference, Slipway } from 'slipway-client';
    const slipway = new Slipway({ url: process.env.SLIPWAY_URL, apiKey: process.env.SLIPWAY_API_KEY });
    const sessionIdentity = byReference('order-4711');
    const { events } = await slipway.sessions.create({ sessionIdentity });
    const run = await slipway.runs.create({ sessionIdentity, input: 'Where is my order?' });
    console.log(JSON.stringify([events[0].content.messageToUser, run.status, run.output.length]));`;
  expect(JSON.parse(await folder.node(script, env))).toEqual(['Welcome aboard.', 'completed', 1]);
});
