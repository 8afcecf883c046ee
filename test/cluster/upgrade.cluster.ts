import { MikroORM } from '@mikro-orm/postgresql';
import { readSettings } from '../../src/platform/config/settings.js';
import { migrationOrmOptions } from '../../src/platform/database/orm-options.js';
import { aCall, EVER, ledgerPath, read, written } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { withLimits } from '../support/with-limits.js';
import { distribute } from './command.js';
import { createDatabaseOfCluster } from './distributed-database.js';
import { ask } from './nodes.mjs';

/** The migrations after this one replace an index of `ledger_rollup`, and add a column to `ledger_row`. */
const EARLIER = '20261122000030_count_sessions';

it('a new version migrates the tables of a distributed ledger, on all nodes', async () => {
  const url = await createDatabaseOfCluster();
  const orm = new MikroORM(migrationOrmOptions(readSettings(settingsFor(url))));
  await orm.migrator.up({ to: EARLIER });
  await orm.close();
  expect(distribute('--database', url, '--shards', '4')).toMatchObject({ status: 0 });
  await ask(
    url,
    `insert into ledger_dim select 'a project', gen_random_uuid(), '', '', '', '', '', '', '', '', '', ''`,
  );

  const service = await startProcess(settingsFor(withLimits(url)));
  try {
    const tenant = await makeTenant(service);
    await written(tenant, aCall({ timeToFirstTokenMs: 7 }));
    expect((await read(tenant)).body.generations).toMatchObject([{ timeToFirstTokenMs: 7 }]);
    expect((await tenant.api.get(`${ledgerPath(tenant.projectId)}/latency`, { query: EVER })).outcome).toBe('200');
    const indexes = `select distinct result from run_command_on_shards('ledger_rollup',
      $$select string_agg(regexp_replace(indexname, '_\\d+$', ''), ' ' order by indexname) from pg_indexes
        where tablename = '%s'$$)`;
    expect(await ask(url, indexes)).toEqual([{ result: 'ledger_rollup_new ledger_rollup_sums' }]);
  } finally {
    await service.stop();
  }
});
