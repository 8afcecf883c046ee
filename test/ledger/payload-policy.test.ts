import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask } from '../gateway/calls.js';
import { aSpan, CHAT, exportOf, sent, tracesOf } from '../traces/spans.js';
import { aCall, at, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const setPolicy = (tenant: Tenant, payloads: string) =>
  administratorOf(service).put(`/api/admin/v1/projects/${tenant.projectId}/ledger-policy`, { payloads });

const aSpokenCall = () => aCall({ timestamp: at(1), payload: { response: { text: 'x'.repeat(400_000) } } });
const statesOf = async (tenant: Tenant, dataMode: string) => {
  const { body } = await read(tenant, { dataMode });
  return body.generations.map(({ payloadState, payload }) => [payloadState, payload !== undefined]);
};

it('without a policy, payloads are shown', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall());
  const { body } = await administratorOf(service).get<{ data: object }>(
    `/api/admin/v1/projects/${tenant.projectId}/ledger-policy`,
  );
  expect(body.data).toEqual({ payloads: 'show' });
  expect(await statesOf(tenant, 'full')).toEqual([['available', true]]);
});

it('with omit, payloads are not returned and do not count towards the size of a page', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall(), aSpokenCall(), aSpokenCall());
  expect(await statesOf(tenant, 'full')).toHaveLength(2);
  await setPolicy(tenant, 'omit');
  expect(await statesOf(tenant, 'full')).toEqual(Array(3).fill(['omitted', false]));
  expect(await statesOf(tenant, 'summary')).toEqual(Array(3).fill(['omitted', false]));
  await setPolicy(tenant, 'show');
  expect(await statesOf(tenant, 'full')).toEqual(Array(2).fill(['available', true]));
});

it('with drop, payloads of new calls are not kept, and earlier ones are shown', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall());
  await setPolicy(tenant, 'omit');
  await setPolicy(tenant, 'drop');
  await written(tenant, aSpokenCall());
  expect((await statesOf(tenant, 'summary')).sort()).toEqual([
    ['available', false],
    ['missing', false],
  ]);
  const kept = await service.database.rows('select n from ledger_payload where project_id = $1', [tenant.projectId]);
  expect(kept).toHaveLength(1);
});

const aSpokenSpan = (text: string) => {
  const messages = JSON.stringify([{ role: 'user', content: text }]);
  return exportOf([aSpan({ attributes: { ...CHAT, 'gen_ai.input.messages': messages } })]);
};
const promptsOf = async (tenant: Tenant) => {
  const traces = await tracesOf(service, tenant);
  return traces.map(({ input, observations: [call] }) =>
    [input, call!.input].map((text) => text?.match(/"(\w+)"}/)?.[1]),
  );
};

it('with omit, the prompts of calls in traces are not returned either, including earlier ones', async () => {
  const tenant = await makeTenant(service);
  await sent(tenant, aSpokenSpan('before'));
  await setPolicy(tenant, 'omit');
  await sent(tenant, aSpokenSpan('after'));
  expect(await promptsOf(tenant)).toEqual(Array(2).fill([undefined, undefined]));
  await setPolicy(tenant, 'show');
  expect((await promptsOf(tenant)).sort()).toEqual([
    ['after', 'after'],
    ['before', 'before'],
  ]);
});

it('with drop, the observation of a call does not keep the prompt', async () => {
  const tenant = await makeTenant(service);
  await setPolicy(tenant, 'drop');
  expect((await ask(tenant, 'mock')).status).toBe(200);
  const observations = await service.database.rows('select input, output from observation where project_id = $1', [
    tenant.projectId,
  ]);
  expect(observations).toEqual([{ input: null, output: null }]);
});

it('a policy that does not exist is refused', async () => {
  const tenant = await makeTenant(service);
  const { outcome } = await setPolicy(tenant, 'hide');
  expect(outcome).toBe('400 VALIDATION_ERROR');
});
