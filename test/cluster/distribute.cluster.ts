import { aCall, written } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { distribute } from './command.js';
import { createMigratedDatabase, inDatabase } from './distributed-database.js';
import { ask, nodes } from './nodes.mjs';

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

function refusal(url: string): string {
  const { status, output } = distribute('--database', url);
  expect(status).toBe(1);
  return output;
}
