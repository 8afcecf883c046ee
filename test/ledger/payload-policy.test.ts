import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask } from '../gateway/calls.js';
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

it('shows payloads where nothing else is said', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall());
  const { body } = await administratorOf(service).get<{ data: object }>(
    `/api/admin/v1/projects/${tenant.projectId}/ledger-policy`,
  );
  expect(body.data).toEqual({ payloads: 'show' });
  expect(await statesOf(tenant, 'full')).toEqual([['available', true]]);
});

it('holds them back while the policy says so, and their bytes count for nothing', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall(), aSpokenCall(), aSpokenCall());
  expect(await statesOf(tenant, 'full')).toHaveLength(2);
  await setPolicy(tenant, 'omit');
  expect(await statesOf(tenant, 'full')).toEqual(Array(3).fill(['omitted', false]));
  expect(await statesOf(tenant, 'summary')).toEqual(Array(3).fill(['omitted', false]));
  await setPolicy(tenant, 'show');
  expect(await statesOf(tenant, 'full')).toEqual(Array(2).fill(['available', true]));
});

it('does not keep those of calls that come after it says so', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall());
  await setPolicy(tenant, 'drop');
  await written(tenant, aSpokenCall());
  expect((await statesOf(tenant, 'summary')).sort()).toEqual([
    ['available', false],
    ['missing', false],
  ]);
  const kept = await service.database.rows('select n from ledger_payload where project_id = $1', [tenant.projectId]);
  expect(kept).toHaveLength(1);
});

it.each(['omit', 'drop'])('with %s keeps no prompt of a call in its observation either', async (payloads) => {
  const tenant = await makeTenant(service);
  await setPolicy(tenant, payloads);
  expect((await ask(tenant, 'mock')).status).toBe(200);
  const observations = await service.database.rows('select input, output from observation where project_id = $1', [
    tenant.projectId,
  ]);
  expect(observations).toEqual([{ input: null, output: null }]);
});

it('is one of three', async () => {
  const tenant = await makeTenant(service);
  const { outcome } = await setPolicy(tenant, 'hide');
  expect(outcome).toBe('400 VALIDATION_ERROR');
});
