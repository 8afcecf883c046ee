import { makeTenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { ask, COMPLETIONS, connectTo, ledgerOf } from './calls.js';

const double = await ModelDouble.start();
const service = await startService();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const messages = [{ role: 'user', content: 'Hello' }];

it('has the observation of a call of our own as its event', async () => {
  const tenant = await makeTenant(service);
  await ask(tenant, await connectTo(tenant, double));
  const [call] = await ledgerOf(tenant);
  expect(call!.callId).toMatch(/\w/);
  expect(call!.eventId).toBe(call!.callId);
});

it.each([
  ['production', undefined],
  ['staging', 'staging'],
  ['working-copy', 'Working-Copy'],
])('has a chat completion under the environment %s where the header is %s', async (environment, header) => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const headers = { ...(header && { 'x-slipway-environment': header }) };
  expect((await tenant.api.post(COMPLETIONS, { model, messages }, { headers })).outcome).toBe('200');
  expect(await ledgerOf(tenant)).toMatchObject([{ environment, channel: 'api' }]);
  const path = `/api/public/analytics/projects/${tenant.projectId}/llm-ledger`;
  const query = { fromDate: '2020-01-01T00:00:00Z', toDate: '2100-01-01T00:00:00Z', environment };
  const found = await tenant.api.get<{ generations: object[] }>(path, { query });
  expect(found.body.generations).toHaveLength(1);
});

it('refuses an environment that there is not, by the name of its header, and calls no model', async () => {
  const tenant = await makeTenant(service);
  const model = await connectTo(tenant, double);
  const headers = { 'x-slipway-environment': 'moon' };
  const { outcome, body } = await tenant.api.post<Refused>(COMPLETIONS, { model, messages }, { headers });
  expect(outcome).toBe('400 VALIDATION_ERROR');
  expect(JSON.stringify(body)).toContain('x-slipway-environment');
  expect(await ledgerOf(tenant)).toEqual([]);
});
