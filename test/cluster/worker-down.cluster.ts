import { aCall, read, write, written } from '../ledger/calls.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask, nodes } from './nodes.mjs';

const service = await startService();
const database = new URL(service.databaseUrl).pathname.slice(1);
const [, ...workers] = await nodes();
afterAll(() => service.stop());

/** Returns the place of the worker that has the shards of a project. */
async function workerOf({ projectId }: Tenant): Promise<number> {
  const [place] = await service.database.rows<{ port: string }>(
    `select nodeport::text as port from pg_dist_node join pg_dist_placement using (groupid)
     where shardid = get_shard_id_for_distribution_column('ledger_row', $1::text)`,
    [projectId],
  );
  return workers.findIndex((worker) => new URL(worker).port === place!.port);
}

/** Makes tenants until there is one whose calls are on this worker. */
async function makeTenantOn(worker: number): Promise<Tenant> {
  for (;;) {
    const tenant = await makeTenant(service);
    if ((await workerOf(tenant)) === worker) return tenant;
  }
}

/** To the other nodes, a worker that takes no connections to the database of this file is down. */
async function takeDown(worker: number): Promise<void> {
  await ask(workers[worker]!, `alter database ${database} with allow_connections false`);
  await ask(
    workers[worker]!,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`,
  );
}

async function bringBack(worker: number): Promise<void> {
  await ask(workers[worker]!, `alter database ${database} with allow_connections true`);
}

it('answers 503 for the projects of a worker that is down, and for no others', async () => {
  const [ofUp, ofDown] = [await makeTenantOn(0), await makeTenantOn(1)];
  const [before, after] = [aCall(), aCall()];
  await written(ofUp, before);
  await written(ofDown, before);
  await takeDown(1);
  try {
    expect((await read(ofDown)).status).toBe(503);
    expect((await write(ofDown, after)).status).toBe(503);
    expect((await read(ofUp)).body.generations).toHaveLength(1);
    expect((await write(ofUp, after)).status).toBe(201);
  } finally {
    await bringBack(1);
  }
  expect((await write(ofDown, after)).status).toBe(201);
  for (const tenant of [ofUp, ofDown]) expect((await read(tenant)).body.generations).toHaveLength(2);
});
