import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Settings } from '../config/settings.js';
import { patientOrmOptions } from './orm-options.js';

/** Any number of processes may start at once: the first to hold this lock migrates, the others find nothing to do. */
const MIGRATION_LOCK = 0x736c6970;

/** How long a database that is still starting is waited for. */
const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 100;

export async function migrate(orm: MikroORM, settings: Settings): Promise<void> {
  const lock = await connectPatiently(settings.DATABASE_URL);
  try {
    await takeTurn(lock);
    const pending = await orm.migrator.getPending();
    if (pending.length > 0) await migratePatiently(settings);
  } finally {
    await lock.end();
  }
}

async function migratePatiently(settings: Settings): Promise<void> {
  const orm = await MikroORM.init(patientOrmOptions(settings));
  try {
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
}

/** Asked for again and again: who waits inside a statement has a snapshot, and an index built meanwhile waits for that. */
async function takeTurn(lock: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
    if (rows[0]?.taken) return;
    await wait(LOOK_AGAIN_MS);
  }
}

async function connectPatiently(databaseUrl: string): Promise<pg.Client> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!mayComeUp(error)) throw error;
      if (Date.now() > deadline)
        throw new Error(`The database did not answer for ${PATIENCE_MS / 1000} s. Is DATABASE_URL right?`, {
          cause: error,
        });
      await wait(500);
    }
  }
}

/** Refused, not found yet, or still starting (57P03): not a wrong password or a database that is not there. */
function mayComeUp(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^(ECONN|EAI_|ENOTFOUND|ETIMEDOUT|57P03)/.test(code) || message.includes('timeout');
}
