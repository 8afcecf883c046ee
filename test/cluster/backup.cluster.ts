import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../../scripts/project.mjs';
import { aCall, read, written } from '../ledger/calls.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { commandsBelow, itWithDump, runCommands } from '../support/pg-dump.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { withLimits } from '../support/with-limits.js';
import { createDatabaseOfCluster, createDistributedDatabase } from './distributed-database.js';
import { ask } from './nodes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'slipway-cluster-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TENANTS = 8;
const payloadOf = (count: number) => ({
  request: { messages: [{ role: 'user', content: `Message ${count}` }] },
  response: { text: `Answer ${count}` },
});
const placesOf = (url: string) =>
  ask(
    url,
    `select nodeport, count(*)::integer as rows from run_command_on_shards('ledger_row', 'select count(*) from %s')
            join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
            where result <> '0' group by nodeport order by nodeport`,
  );

itWithDump('goes on in a new cluster from the backup of the documentation', async () => {
  const [backup, restore] = commandsBelow('### A ledger on a Citus cluster');
  const url = await createDistributedDatabase();
  const settings = settingsFor(withLimits(url));
  const original = await startProcess(settings);
  const tenants: Tenant[] = [];
  for (let count = 0; count < TENANTS; count += 1) {
    const tenant = await makeTenant(original);
    await written(tenant, aCall({ payload: payloadOf(count) }), aCall());
    tenants.push(tenant);
  }
  await original.stop();

  runCommands(backup!, folder, { DATABASE_URL: url });
  const restoredUrl = await createDatabaseOfCluster();
  const inRepository = restore!.replace('npm run', `npm --prefix ${inProject('.')} run`);
  runCommands(inRepository, folder, { NEW_DATABASE_URL: restoredUrl });
  expect(await placesOf(restoredUrl)).toHaveLength(2);

  const service = await startProcess({
    ...settings,
    DATABASE_URL: withLimits(restoredUrl),
    DATABASE_DIRECT_URL: restoredUrl,
  });
  try {
    for (const [count, tenant] of tenants.entries()) {
      const there: Tenant = { ...tenant, api: Client.withKey(service, tenant.key) };
      const { generations } = (await read(there, { dataMode: 'full' })).body;
      expect(generations).toHaveLength(2);
      expect(generations).toContainEqual(expect.objectContaining({ payload: payloadOf(count) }));
      await written(there, aCall());
      expect((await read(there)).body.total).toBe(3);
    }
  } finally {
    await service.stop();
  }
});
