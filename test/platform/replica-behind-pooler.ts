import { aCall, EVER, ledgerPath, read, written } from '../ledger/calls.js';
import { list, makeSession } from '../sessions/make.js';
import { makeKeyWith, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { readMetric } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replicated-postgres.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { withLimits } from '../support/with-limits.js';
import { giveRoleItsLimits, LIMITS, type Pooler } from './behind-pooler.js';

/** Each reads four times at once. */
const READERS = 10;
const LAG_SECONDS = 5;

/** Connections that were opened before do not have the limits, and neither has a replica that is behind. */
async function untilReplicaHasLimits({ primaryUrl, replicaUrl }: ReplicatedPostgres): Promise<void> {
  const [primary, replica] = [new TestDatabase(primaryUrl), new TestDatabase(replicaUrl)];
  try {
    await giveRoleItsLimits(primary);
    await eventually(
      () => replica.rows('select from pg_db_role_setting'),
      ({ length }) => length > 0,
    );
    await replica.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  } finally {
    await Promise.all([primary.end(), replica.end()]);
  }
}

/** Declares the tests of a service whose `DATABASE_READ_URL` is that of a pooler of transactions. */
export function testReplicaBehindPooler(startPooler: (replicaUrl: string) => Promise<Pooler>): void {
  let postgres: ReplicatedPostgres;
  let pooler: Pooler;
  let settings: SettingsOfTest;

  beforeAll(async () => {
    postgres = await startReplicatedPostgres();
    pooler = await startPooler(postgres.replicaUrl);
    // The primary's connections have the limits by their address, so that only those of the replica lack them.
    settings = {
      ...settingsFor(withLimits(postgres.primaryUrl)),
      DATABASE_DIRECT_URL: postgres.primaryUrl,
      DATABASE_READ_URL: pooler.url,
      READ_LAG_SECONDS: String(LAG_SECONDS),
      SLIPWAY_ROLE: 'all',
    };
  });
  afterAll(async () => {
    await pooler.stop();
    await postgres.stop();
  });

  it('does not start while the role of the replica lacks the time limits, and names the commands', async () => {
    const failure = await startProcess(settings).catch((error: Error) => error.message);
    expect(failure).toContain('the role in DATABASE_READ_URL has to have the time limits');
    for (const [limit, ms] of Object.entries(LIMITS)) expect(failure).toContain(`SET ${limit} = ${ms};`);
  });

  it('lets the replica answer many reads at once, and a key read what it has just written', async () => {
    await untilReplicaHasLimits(postgres);
    const service = await startProcess(settings);
    try {
      const tenant = await makeTenant(service);
      const { api } = await makeKeyWith(service, tenant, ['analytics:read', 'SESSIONS_LIST']);
      const reader = { ...tenant, api };
      await written(tenant, aCall(), aCall());
      await makeSession(tenant);
      const path = ledgerPath(tenant.projectId);
      const readAll = async () => [
        (await read(reader)).body.total,
        (await list(reader)).body.total_count,
        (await api.get(`${path}/summary`, { query: { ...EVER, groupBy: 'day' } })).status,
        (await api.get(`${path}/export.ndjson`, { query: EVER })).text.trim().split('\n').length,
      ];
      await eventually(readAll, ([calls, sessions]) => calls === 2 && sessions === 1);
      const outcomes = (outcome: string) => readMetric(service, 'slipway_replica_reads_total', { outcome });
      const before = await outcomes('answered');
      const answers = await Promise.all(Array.from({ length: READERS }, readAll));
      expect(answers).toEqual(Array.from({ length: READERS }, () => [2, 1, 200, 2]));
      expect((await outcomes('answered')) - before).toBeGreaterThanOrEqual(4 * READERS);
      expect(await readMetric(service, 'slipway_replica_lag_seconds')).toBeLessThan(LAG_SECONDS);

      await postgres.pause();
      await written(tenant, aCall());
      expect((await read(tenant)).body.total).toBe(3);
      expect(await outcomes('own write')).toBeGreaterThan(0);
      expect(await outcomes('away')).toBe(0);
    } finally {
      await postgres.goOn();
      await service.stop();
    }
  });
}
