import { setTimeout as wait } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

/** Any number of processes may start at once: the first to hold this lock migrates, the others find nothing to do. */
const MIGRATION_LOCK = 0x736c6970;

/** How long a database that is still starting is waited for. */
const PATIENCE_MS = 30_000;

export async function migrate(orm: MikroORM, databaseUrl: string): Promise<void> {
  const lock = await connectPatiently(databaseUrl);
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await orm.migrator.up();
  } finally {
    await lock.end();
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
      if (Date.now() > deadline) throw error;
      await wait(500);
    }
  }
}
