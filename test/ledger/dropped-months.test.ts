import { DAY_MS } from '../../src/kernel/spans.js';
import { dropDuePayloads } from '../../src/modules/ledger/ledger.sweeps.js';
import { Statements } from '../../src/platform/database/statements.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { aSpan, CHAT, exportOf, send, sent } from '../traces/spans.js';
import { aCall, found, read, write, written } from './calls.js';

const service = await startService();
const { database } = service;
afterAll(() => service.stop());

/** Calls of this age lie in months that the service does not drop itself. */
const DAYS = 20;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

const aSpokenCall = (days: number) =>
  aCall({ timestamp: daysAgo(days).toISOString(), payload: { response: { text: 'canary' } } });
const dropPayloadsOf = (days: number) =>
  database.rows(`drop table if exists ledger_payload_${daysAgo(days).toISOString().slice(0, 7).replace('-', '_')}`);

const statesOf = async (tenant: Tenant) =>
  (await read(tenant, { dataMode: 'full' })).body.generations.map(({ payloadState }) => payloadState);

/** Takes a lock for which writers that begin later have to wait. */
const keepWritersWaiting = () => database.openTransaction('lock table ledger_key in share mode');
const untilOneWaits = (lock: 'ShareLock' | 'RowExclusiveLock') =>
  eventually(
    () =>
      database.rows(
        `select from pg_locks join pg_database on pg_database.oid = database
       where datname = current_database() and relation = 'ledger_key'::regclass and mode = $1 and not granted`,
        [lock],
      ),
    ({ length }) => length === 1,
  );

it('payloads are written into months whose partitions were dropped after the last write', async () => {
  const tenant = await makeTenant(service);
  const ages = [2, 29];
  await written(tenant, ...ages.map(aSpokenCall));
  for (const days of ages) await dropPayloadsOf(days);
  await written(tenant, ...ages.map(aSpokenCall));
  expect((await statesOf(tenant)).sort()).toEqual(['available', 'available', 'unknown', 'unknown']);
});

it('calls are written into a month whose partition is dropped again during the write', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aSpokenCall(DAYS));
  await dropPayloadsOf(DAYS);
  const first = await keepWritersWaiting();
  const call = aSpokenCall(DAYS);
  const writing = write(tenant, call);
  await untilOneWaits('RowExclusiveLock');
  // This lock is granted after the writer's first attempt and before its second.
  const between = keepWritersWaiting();
  await untilOneWaits('ShareLock');
  await first.commit();
  const second = await between;
  await untilOneWaits('RowExclusiveLock');
  await dropPayloadsOf(DAYS);
  await second.commit();
  expect((await writing).body).toMatchObject({ accepted: 1 });
  expect(await found(tenant)).toContain(call.callId);
});

it('a payload that has expired when it arrives is not kept', async () => {
  const tenant = await makeTenant(service);
  await dropDuePayloads({
    statements: service.app.get(Statements),
    cutoffs: { general: daysAgo(30), ofProjects: new Map() },
    hasTime: () => true,
  });
  await written(tenant, aSpokenCall(31), aSpokenCall(29));
  expect(await statesOf(tenant)).toEqual(['missing', 'available']);
  const kept = await database.rows('select n from ledger_payload where project_id = $1', [tenant.projectId]);
  expect(kept).toHaveLength(1);
});

it('spans of a dropped month are answered with 503, because their transaction is aborted', async () => {
  const tenant = await makeTenant(service);
  const messages = JSON.stringify([{ role: 'user', content: 'Hi' }]);
  const spoken = () => {
    const to = daysAgo(DAYS).getTime();
    return exportOf([aSpan({ from: to - 1000, to, attributes: { ...CHAT, 'gen_ai.input.messages': messages } })]);
  };
  await sent(tenant, spoken());
  expect(await found(tenant)).toHaveLength(1);
  await dropPayloadsOf(DAYS);
  const again = spoken();
  const answer = await send(tenant, again);
  expect(answer.outcome).toBe('503 BUSY');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await found(tenant)).toHaveLength(1);
  await sent(tenant, again);
  expect(await found(tenant)).toHaveLength(2);
});
