import { makeActiveAgent, say } from '../agents/make.js';
import { aCall, read, written } from '../ledger/calls.js';
import { makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { readMetric } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { startReplicatedPostgres } from '../support/replicated-postgres.js';
import { startService } from '../support/service.js';
import { StallingProxy } from '../support/stalling-proxy.js';

const LAG_SECONDS = 2;

const postgres = await startReplicatedPostgres();
const way = await StallingProxy.before(postgres.replicaUrl);
const service = await startService({
  DATABASE_URL: postgres.primaryUrl,
  DATABASE_READ_URL: way.url,
  READ_LAG_SECONDS: String(LAG_SECONDS),
});
const other = await startProcess({ ...service.settings, LOG_LEVEL: 'info' });
afterAll(async () => {
  await Promise.all([service.stop(), other.stop()]);
  way.stop();
  await postgres.stop();
});

const tenant = await makeTenant(service);
/** Another key of the same project, which has written nothing. */
const { api } = await makeKeyWith(service, tenant, ['analytics:read']);
const reader: Tenant = { ...tenant, api };

const outcomes = (outcome: string) => readMetric(service, 'slipway_replica_reads_total', { outcome });
const totalFor = async (who: Tenant) => (await read(who)).body.total;
const untilReplicaAnswers = async () => {
  const before = await outcomes('answered');
  await eventually(
    async () => {
      await totalFor(reader);
      return outcomes('answered');
    },
    (answered) => answered > before,
  );
};

it('lets the replica answer pages of the ledger', async () => {
  await written(tenant, aCall());
  await untilReplicaAnswers();
  await eventually(
    () => totalFor(reader),
    (total) => total === 1,
  );
});

describe('while the replica is behind', () => {
  beforeAll(async () => {
    await untilReplicaAnswers();
    await postgres.pause();
  });
  afterAll(() => postgres.goOn());

  it('lets a key read what it has just written, here and in another process', async () => {
    const before = await totalFor(tenant);
    await written(tenant, aCall());
    expect(await totalFor(tenant)).toBe(before + 1);
    const elsewhere: Tenant = { ...tenant, api: Client.withKey(other, tenant.key) };
    expect(await totalFor(elsewhere)).toBe(before + 1);
    expect(await outcomes('own write')).toBeGreaterThan(0);
  });

  it('lets a key read what it has just streamed', async () => {
    await makeActiveAgent(service, tenant);
    const before = await totalFor(tenant);
    expect((await say(tenant, 'streamed', 'Hello', { stream: true })).status).toBe(200);
    expect(await totalFor(tenant)).toBe(before + 1);
  });

  it('lets the primary answer everybody after READ_LAG_SECONDS', async () => {
    const { accepted } = await written(tenant, aCall());
    expect(accepted).toBe(1);
    const total = await totalFor(tenant);
    await eventually(
      () => totalFor(reader),
      (found) => found === total,
    );
    await eventually(
      () => outcomes('behind'),
      (behind) => behind > 0,
    );
  });
});

describe('while the replica hangs', () => {
  /** The time within which the primary answers for it, and less than a statement may take. */
  const SOON_MS = 4_500;
  let total: number;
  const timed = async () => {
    const begun = performance.now();
    expect(await totalFor(reader)).toBe(total);
    return performance.now() - begun;
  };
  const timesOf = (count: number) => Promise.all(Array.from({ length: count }, timed));

  beforeAll(async () => {
    await untilReplicaAnswers();
    total = await totalFor(reader);
    way.stall();
  });
  afterAll(() => way.goOn());

  it('lets the primary answer soon, also a project that has no further connection to the replica', async () => {
    const times = await timesOf(Number(service.settings.DATABASE_POOL ?? 10) + 5);
    expect(Math.max(...times)).toBeLessThan(SOON_MS);
    expect(await outcomes('away')).toBeGreaterThan(0);
    expect(await outcomes('busy')).toBeGreaterThan(0);
    expect(await readMetric(service, 'slipway_replica_lag_seconds')).toBeNaN();
  });

  it('lets one read try the replica again after a pause, and answers the others meanwhile', async () => {
    const PROBED_MS = 480;
    const times = await eventually(
      () => timesOf(4),
      (each) => Math.max(...each) > PROBED_MS,
    );
    // One of them tried it. A busy machine may delay another one.
    expect(times.filter((time) => time > PROBED_MS).length).toBeLessThanOrEqual(2);
  });

  it('asks the replica once it answers', async () => {
    way.goOn();
    await untilReplicaAnswers();
    expect(await readMetric(service, 'slipway_replica_lag_seconds')).toBeLessThan(LAG_SECONDS);
  });
});

describe('when the replica is killed', () => {
  it('goes on with the primary, and with the replica once it is back', async () => {
    const total = await totalFor(reader);
    await postgres.killReplica();
    expect(await totalFor(reader)).toBe(total);
    expect(await outcomes('away')).toBeGreaterThan(0);
    expect(await readMetric(service, 'slipway_replica_lag_seconds')).toBeNaN();
    await postgres.startReplica();
    await untilReplicaAnswers();
    expect(await readMetric(service, 'slipway_replica_lag_seconds')).toBeLessThan(LAG_SECONDS);
  });
});

it('says that a server is not a replica of the database, and does not ask it', async () => {
  for (const url of [postgres.primaryUrl, process.env.TEST_POSTGRES_URL!]) {
    const wrong = await startProcess({ ...service.settings, DATABASE_READ_URL: url, LOG_LEVEL: 'warn' });
    const elsewhere: Tenant = { ...tenant, api: Client.withKey(wrong, tenant.key) };
    expect(await totalFor(elsewhere)).toBe(await totalFor(tenant));
    await wrong.stop();
    expect(wrong.output()).toContain('does not lead to a replica of DATABASE_URL');
  }
});

it('asks the primary while the replica refuses its connections, and says so', async () => {
  const url = new URL(postgres.replicaUrl);
  url.pathname = '/missing';
  const refused = await startProcess({ ...service.settings, DATABASE_READ_URL: url.href, LOG_LEVEL: 'warn' });
  const elsewhere: Tenant = { ...tenant, api: Client.withKey(refused, tenant.key) };
  expect(await totalFor(elsewhere)).toBe(await totalFor(tenant));
  await refused.stop();
  expect(refused.output()).toContain('does not answer, so the primary does');
});
