import { fileURLToPath } from 'node:url';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { startChromium } from '../support/chromium.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { servePage } from './page.js';

const CLIENT = fileURLToPath(new URL('../../clients/typescript/dist/index.js', import.meta.url));

/** An application on its page. It offers the journey to the test as a function of the window. */
const PAGE = `
  import { byReference, SlipwayError, Slipway } from ${JSON.stringify(CLIENT)};
  window.journey = async ({ url, apiKey, content }) => {
    const slipway = new Slipway({ url, apiKey });
    const sessionIdentity = byReference('browser');
    let said = '';
    for await (const event of slipway.runs.stream({ sessionIdentity, input: 'Hello' })) {
      if (event.event === 'delta') said += event.data.content;
    }
    const models = [];
    for await (const page of slipway.ledger.pages({ limit: 100 })) models.push(...page.generations.map((row) => row.model));
    const job = slipway.models.import(new File([new Uint8Array(content)], 'tiny.gguf'));
    const { status } = await job.wait();
    const refused = await new Slipway({ url, apiKey: 'sw_wrong' }).me().catch((error) => error);
    const path = await slipway.files.upload('/etc/hostname').catch((error) => error);
    return { said, models, status, refused: refused instanceof SlipwayError && refused.code, path: path instanceof Error };
  };
`;

const page = await servePage(PAGE);
const service = await startService({ CORS_ORIGINS: page.origin });
const chromium = await startChromium();
afterAll(async () => {
  await chromium.close();
  page.stop();
  await service.stop();
});

it('a page of another origin talks to an agent, reads the ledger and imports a model', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const tab = await chromium.newPage();
  await tab.goto(page.origin);
  await tab.waitForFunction('window.journey');
  const given = { url: service.url, apiKey: tenant.key, content: [...tinyModel()] };
  const seen: unknown = await tab.evaluate(`window.journey(${JSON.stringify(given)})`);
  expect(seen).toEqual({
    said: '[mock] You said: Hello',
    models: ['mock'],
    status: 'SUCCESS',
    refused: 'API_KEY_INVALID',
    path: true,
  });
});
