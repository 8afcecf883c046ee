import pg from 'pg';
import { type Settings, SettingsError } from '../config/settings.js';
import { missingLimits } from './missing-limits.js';
import { directUrl, SERVER_LIMITS } from './orm-options.js';

/** How long a client of a pooler keeps its connection of the server. */
type Pooling = 'session' | 'transaction' | 'statement';

/** Connections are compared several times, because other clients of the pooler take some of them meanwhile. */
const COMPARISONS = 3;
const PROTOCOL_VIOLATION = '08P01';
/** PgBouncer has one code for most of its errors, so only the sentence tells. */
const OF_STATEMENTS = /statement pooling/;
/** A pooler may keep its client waiting for a connection of the server. */
export const ANSWERS_WITHIN_MS = 10_000;

/** Refuses to start if migrations and notifications would go through a pooler that does not keep a session. */
export async function refuseWrongPooler(client: pg.Client, settings: Settings): Promise<void> {
  if (await isDirect(client)) return;
  const url = directUrl(settings);
  const pooling = await poolingOf(client, url);
  const hasDirectUrl = settings.DATABASE_DIRECT_URL !== undefined;
  // Some proxies keep a session, and only answer cancellations themselves.
  if (pooling === 'session' && !hasDirectUrl && (await keepsLimits(url))) return;
  const fault = faultOf(pooling, hasDirectUrl);
  if (fault !== undefined) throw new SettingsError([fault]);
}

/** Refuses to start if reads would go through a pooler, and no setting says so. */
export async function refusePoolerOfReads(client: pg.Client, url: string): Promise<void> {
  if (await isDirect(client)) return;
  const pooling = await poolingOf(client, url);
  if (pooling === 'statement') throw new SettingsError([statementFault('DATABASE_READ_URL')]);
  if (pooling === 'session' && (await keepsLimits(url))) return;
  throw new SettingsError([
    `DATABASE_READ_URL leads to a pooler of ${pooling}s, so DATABASE_DIRECT_URL is needed too. Set it to the address of the primary itself.`,
  ]);
}

/** Begins a transaction, and refuses to start if the pooler does not allow that. */
export async function beginThroughPooler(client: pg.Client, setting: string): Promise<void> {
  if (!(await begins(client))) throw new SettingsError([statementFault(setting)]);
}

function faultOf(pooling: Pooling, hasDirectUrl: boolean): string | undefined {
  if (pooling === 'statement') return statementFault(hasDirectUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL');
  if (!hasDirectUrl) {
    const remedy = pooling === 'session' ? 'the same address' : 'the address of PostgreSQL itself';
    return `DATABASE_URL leads to a pooler of ${pooling}s, so DATABASE_DIRECT_URL is needed too. Set it to ${remedy}.`;
  }
  if (pooling === 'session') return undefined;
  return 'DATABASE_DIRECT_URL leads to a pooler of transactions, which forgets who listens. Set it to the address of PostgreSQL itself.';
}

function statementFault(setting: string): string {
  return `${setting} leads to a pooler of statements, which allows no transactions. Let it pool by transaction (in PgBouncer, \`pool_mode = transaction\`).`;
}

/** A pooler names itself to its clients instead of the server's process, because cancellations go through it too. */
async function isDirect(client: pg.Client): Promise<boolean> {
  return (client as pg.Client & { processID: number }).processID === (await serverProcessOf(client));
}

async function poolingOf(client: pg.Client, connectionString: string): Promise<Pooling> {
  const other = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: ANSWERS_WITHIN_MS });
  other.on('error', () => undefined);
  await other.connect();
  try {
    for (let time = 0; time < COMPARISONS; time += 1) {
      const before = await serverProcessOf(client);
      if (!(await begins(other))) return 'statement';
      // In a session, `client` would have kept its connection, and `other` could not have the same one now.
      if ((await serverProcessOf(other)) === before || (await serverProcessOf(client)) !== before) return 'transaction';
      await other.query('rollback');
    }
    return 'session';
  } finally {
    await other.end().catch(() => undefined);
  }
}

/** Whether a connection can set its own time limits, as all connections do that go to PostgreSQL itself. */
async function keepsLimits(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, ...SERVER_LIMITS, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await missingLimits(client)).length === 0;
  } catch (error) {
    if ((error as { code?: string }).code === PROTOCOL_VIOLATION) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function begins(client: pg.Client): Promise<boolean> {
  try {
    await client.query('begin');
    return true;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === PROTOCOL_VIOLATION && OF_STATEMENTS.test(message)) return false;
    throw error;
  }
}

async function serverProcessOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
