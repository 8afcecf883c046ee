import { DAY_MS } from '../../src/kernel/spans.js';
import { dropDuePayloads, dropDueRows } from '../../src/modules/ledger/ledger.sweeps.js';
import { Statements } from '../../src/platform/database/statements.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aCall, read, written } from './calls.js';

const service = await startService();
const statements = service.app.get(Statements);
afterAll(() => service.stop());

const NOW = Date.now();
const daysAgo = (days: number) => new Date(NOW - days * DAY_MS);
const sweep = (general: Date, ofProjects: [string, Date][] = []) => ({
  statements,
  cutoffs: { general, ofProjects: new Map(ofProjects) },
  hasTime: () => true,
});

const partitions = async (table: string) =>
  (
    await service.database.rows<{ name: string }>(
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
      [table],
    )
  ).map(({ name }) => name);

it('expired payloads are missing, and their partitions are dropped', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  const days = [1, 20, 100];
  for (const tenant of [mine, theirs]) {
    const calls = days.map((day) =>
      aCall({ timestamp: daysAgo(day).toISOString(), payload: { response: { text: 'canary' } } }),
    );
    await written(tenant, ...calls);
  }
  await dropDuePayloads(sweep(daysAgo(30), [[theirs.projectId, daysAgo(10)]]));
  const states = async (tenant: typeof mine) =>
    (await read(tenant, { dataMode: 'full' })).body.generations.map(({ payloadState, payload }) => [
      payloadState,
      payload !== undefined,
    ]);
  expect(await states(mine)).toEqual([
    ['missing', false],
    ['available', true],
    ['available', true],
  ]);
  expect(await states(theirs)).toEqual([
    ['missing', false],
    ['missing', false],
    ['available', true],
  ]);
  expect(await service.database.rows('select from ledger_payload')).toHaveLength(3);
  expect(await partitions('ledger_payload')).not.toContain(
    `ledger_payload_${daysAgo(100).toISOString().slice(0, 7).replace('-', '_')}`,
  );
  await dropDuePayloads(sweep(daysAgo(60)));
  expect(await states(theirs)).toEqual([
    ['missing', false],
    ['missing', false],
    ['available', true],
  ]);
});

it('months that have expired for every project are dropped, and later writes create them again', async () => {
  const tenant = await makeTenant(service);
  const old = aCall({ timestamp: daysAgo(200).toISOString() });
  await written(tenant, old, aCall({ timestamp: daysAgo(1).toISOString() }));
  const month = `ledger_row_${daysAgo(200).toISOString().slice(0, 7).replace('-', '_')}`;
  const other = await makeTenant(service);
  await dropDueRows(sweep(daysAgo(90), [[other.projectId, daysAgo(399)]]));
  expect(await partitions('ledger_row')).toContain(month);
  expect((await read(tenant)).body.total).toBe(1);
  await dropDueRows(sweep(daysAgo(90)));
  expect(await partitions('ledger_row')).not.toContain(month);
  expect(await written(tenant, old)).toMatchObject({ accepted: 1 });
  expect((await read(tenant)).body.total).toBe(2);
});
