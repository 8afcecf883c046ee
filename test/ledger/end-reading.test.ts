import { makeKey, makeTenant, revoke } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { aCall, EVER, ledgerPath, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const tenant = await makeTenant(service);
await written(tenant, aCall());
const path = `${ledgerPath(tenant.projectId)}?${new URLSearchParams(EVER).toString()}`;

const readsWaiting = async () =>
  (await service.database.waiting()).filter((query) => query.includes('from ledger_row r')).length;
function startReading(key: string) {
  const request = openRequest(service.url, { verb: 'GET', path, key, begin: '' });
  request.finish();
  return request;
}

const isNone = (count: number) => count === 0;

it('the service cancels the query of a client that leaves', async () => {
  const lock = await service.database.openTransaction('lock table ledger_row in access exclusive mode');
  const running = startReading(tenant.key);
  await eventually(readsWaiting);
  running.abandon();
  await eventually(readsWaiting, isNone, 1_500);
  await lock.commit();
  expect((await read(tenant)).outcome).toBe('200');
});

it('the service cancels the query of a key that is revoked, and answers 401', async () => {
  const { key, keyId } = await makeKey(service, tenant.appId, tenant.scopeName);
  const lock = await service.database.openTransaction('lock table ledger_row in access exclusive mode');
  const running = startReading(key);
  await eventually(readsWaiting);
  await revoke(service, tenant.appId, keyId);
  expect((await running.answer).outcome).toBe('401 API_KEY_REVOKED');
  await eventually(readsWaiting, isNone, 1_500);
  await lock.commit();
});

it.each(['', '/export.csv', '/export.ndjson'])(
  'the service answers 503 to a query that waits too long in the database (%s)',
  async (of) => {
    const lock = await service.database.openTransaction('lock table ledger_row in access exclusive mode');
    const answer = await tenant.api.get(ledgerPath(tenant.projectId) + of + '?' + new URLSearchParams(EVER).toString());
    expect(answer.outcome).toMatch(/^503 [A-Z_]+$/);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readsWaiting()).toBe(0);
    await lock.commit();
    expect((await read(tenant)).outcome).toBe('200');
  },
);
