import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { MINUTE_MS } from '../../kernel/spans.js';
import type { Settings } from '../config/settings.js';
import type { Log } from '../telemetry/log.js';
import { refuseDistributedWithoutDirectUrl } from './distributed.js';
import { directUrl, migrationOrmOptions } from './orm-options.js';
import { migratePlugins, pendingMigrations } from './plugin-migrations.js';
import { refuseWrongPooler } from './pooling.js';
import { checkReadUrl, checkRoleLimits } from './role-limits.js';

/**
 * The advisory lock of migrations. Any number of processes may start at once: the first one migrates, and the others
 * then find nothing to do.
 */
const MIGRATION_LOCK = 0x736c6970;

/** How long the process waits for a database that is still starting. */
const PATIENCE_MS = 10 * MINUTE_MS;
const SAY_EVERY_MS = 30_000;
/** Most migrations are over by then. */
const SAY_WAITING_MS = 3_000;
const LOOK_AGAIN_MS = 100;

class DatabaseDidNotAnswer extends Error {
  constructor(cause: unknown) {
    super(`The database did not answer for ${PATIENCE_MS / MINUTE_MS} minutes. Is DATABASE_URL right?`, { cause });
  }
}

export async function migrate(orm: MikroORM, settings: Settings, log: Log): Promise<void> {
  const lock = await connectWithRetries(directUrl(settings), log);
  try {
    await refuseWrongPooler(lock, settings);
    await refuseDistributedWithoutDirectUrl(lock, settings);
    await takeTurn(lock, log);
    const pending = await pendingMigrations(orm);
    if (pending.length > 0) await runMigrations(settings, new Set(pending));
  } finally {
    await lock.end();
  }
  await checkRoleLimits(settings);
  await checkReadUrl(settings);
}

async function runMigrations(settings: Settings, pending: ReadonlySet<string>): Promise<void> {
  const orm = await MikroORM.init(migrationOrmOptions(settings));
  try {
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
  await migratePlugins(settings, pending);
}

/**
 * Polls for the lock instead of waiting in one statement. A waiting statement has a snapshot, and a concurrent index
 * build in a migration would wait for that snapshot.
 */
async function takeTurn(lock: pg.Client, log: Log): Promise<void> {
  for (let sayAt = performance.now() + SAY_WAITING_MS; ;) {
    const { rows } = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
    if (rows[0]?.taken) return;
    if (performance.now() >= sayAt) {
      log.warn('Waiting for another process that migrates the database');
      sayAt = performance.now() + SAY_EVERY_MS;
    }
    await wait(LOOK_AGAIN_MS);
  }
}

async function connectWithRetries(databaseUrl: string, log: Log): Promise<pg.Client> {
  const begunAt = performance.now();
  let sayAt = begunAt;
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!mayComeUp(error)) throw error;
      const now = performance.now();
      if (now > begunAt + PATIENCE_MS) throw new DatabaseDidNotAnswer(error);
      if (now >= sayAt) {
        log.warn({ reason: (error as Error).message }, 'Waiting for the database, for up to ten minutes');
        sayAt = now + SAY_EVERY_MS;
      }
      await wait(500);
    }
  }
}

/**
 * Whether the database may still come up: it refuses connections, is not found yet, or is starting (57P03). A wrong
 * password or a missing database is final.
 */
function mayComeUp(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^(ECONN|EAI_|ENOTFOUND|ETIMEDOUT|57P03)/.test(code) || message.includes('timeout');
}
