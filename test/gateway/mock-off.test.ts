import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask, MODELS } from './calls.js';

const service = await startService({ MODEL_MOCK: 'off' });
const tenant = await makeTenant(service);
afterAll(() => service.stop());

it('is not listed, and cannot be called', async () => {
  const { body } = await tenant.api.get<{ data: { id: string }[] }>(MODELS);
  expect(body.data).toEqual([]);
  expect((await ask(tenant, 'mock')).outcome).toMatch(/^404 /);
});

it('does not answer for an agent that names no model', async () => {
  await makeActiveAgent(service, tenant, { fallbackMessage: 'Later.' });
  const { body } = await say(tenant, 'without a model', 'Hello');
  expect(body).toMatchObject({ status: 'failed', output: [{ content: 'Later.' }], error: { code: 'MODEL_NOT_FOUND' } });
});
