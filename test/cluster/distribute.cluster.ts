import { once } from 'node:events';
import { aCall, written } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { beginToDistribute, distribute } from './command.js';
import { createMigratedDatabase, inDatabase } from './distributed-database.js';
import { ask, nodes } from './nodes.mjs';

/** Moving this number of rows takes a second or more. */
const MANY = 500_000;
const ROWS_COPIED = `select from pg_stat_progress_copy where datname = current_database() and tuples_processed > 0`;

it('distributing moves the rows of a ledger that is not in use, and can be repeated', async () => {
  const url = await createMigratedDatabase();
  const service = await startService({ DATABASE_URL: url });
  try {
    await written(await makeTenant(service), aCall(), aCall());
    expect(refusal(url)).toContain('Stop its processes first');
  } finally {
    await service.stop();
  }
  expect(distribute('--database', url, '--shards', '4')).toMatchObject({ status: 0 });
  const { status, output } = distribute('--database', url);
  expect(status).toBe(0);
  expect(output.trim().split('\n')).toHaveLength(7);
  expect(output).toMatch(/^(\d\/7 ledger_\w+: is distributed already\n){7}$/);
  expect(await ask(url, 'select count(*)::integer from ledger_row')).toEqual([{ count: 2 }]);
});

it('distributing refuses a worker, and a database without the tables of Slipway', async () => {
  const [, worker = ''] = await nodes();
  const url = await createMigratedDatabase();
  expect(refusal(inDatabase(worker, new URL(url).pathname.slice(1)))).toContain('This is a worker');
  await ask(url, 'drop table ledger_expiry');
  expect(refusal(url)).toContain('These tables are missing: ledger_expiry');
});

it('distributing refuses a table that is distributed by another column', async () => {
  const url = await createMigratedDatabase();
  await ask(url, "select create_distributed_table('ledger_rollup', 'bucket')");
  expect(refusal(url)).toContain('ledger_rollup is distributed by bucket');
});

it('distributing refuses a cluster without workers, and one whose Citus is too old', async () => {
  const [, ...workers] = await nodes();
  const url = await createMigratedDatabase();
  for (const { hostname, port } of workers.map((worker) => new URL(worker)))
    await ask(url, `select citus_remove_node('${hostname}', ${port})`);
  expect(refusal(url)).toContain('The cluster has no workers. Run citus_set_coordinator_host');
  await ask(url, "update pg_extension set extversion = '13.2-1' where extname = 'citus'");
  expect(refusal(url)).toContain('Citus 13.2-1 is too old. Slipway needs 14.0 or later.');
});

it('distributing goes on with the table that it was moving when it was killed, and loses no row', async () => {
  const [, ...workers] = await nodes();
  const url = await createMigratedDatabase();
  await ask(url, `insert into ledger_key select 'a project', at::text, now() from generate_series(1, ${MANY}) at`);
  const command = beginToDistribute('--database', url, '--shards', '4');
  await eventually(async () => {
    const copied = workers.map((worker) => ask(inDatabase(worker, new URL(url).pathname.slice(1)), ROWS_COPIED));
    return (await Promise.all(copied)).some(([row]) => row !== undefined);
  });
  command.kill('SIGKILL');
  await once(command, 'exit');
  const { status, output } = distribute('--database', url, '--shards', '4');
  expect(output).toMatch(/^1\/7 ledger_row: is distributed already\n2\/7 ledger_key: distributed with its rows in /m);
  expect(status).toBe(0);
  expect(await ask(url, 'select count(*)::integer from ledger_key')).toEqual([{ count: MANY }]);
});

it('distributing takes longer than the role lets statements take, and keeps a second run waiting', async () => {
  const [coordinator, ...workers] = await nodes();
  const url = await createMigratedDatabase();
  const database = new URL(url).pathname.slice(1);
  await ask(url, `insert into ledger_key select 'a project', at::text, now() from generate_series(1, ${MANY}) at`);
  for (const node of [coordinator!, ...workers])
    await ask(
      inDatabase(node, database),
      `alter role current_user in database ${database} set statement_timeout = 100`,
    );
  const first = beginToDistribute('--database', url, '--shards', '4');
  const isLocked =
    "select from pg_locks join pg_database d on d.oid = database where locktype = 'advisory' and datname = '%'";
  await eventually(async () => (await ask(coordinator!, isLocked.replace('%', database))).length > 0);
  const { status, output } = distribute('--database', url);
  expect(status).toBe(0);
  expect(output).toMatch(/^Waiting for a migration or another run.*\n(\d\/7 ledger_\w+: is distributed already\n){7}$/);
  expect(first.exitCode ?? (await once(first, 'exit'))[0]).toBe(0);
  expect(await ask(url, 'select count(*)::integer from ledger_key')).toEqual([{ count: MANY }]);
});

function refusal(url: string): string {
  const { status, output } = distribute('--database', url);
  expect(status).toBe(1);
  return output;
}
