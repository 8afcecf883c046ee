import { fileURLToPath } from 'node:url';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Settings } from '../config/settings.js';
import { takeBackDeadConnections } from './dead-connections.js';
import { sendTogether } from './packets.js';

const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** The longest a statement may take, in the server and, should that hang, seen from here. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** Waiting longer for what another request holds is answered 503; trying again is then better than waiting. */
const LOCK_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** What holds for every connection to the database. */
export const CONNECTION = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** For migrations: building an index takes as long as its table is large. Their locks are waited for as short as ever. */
export function patientOrmOptions(settings: Settings): Options {
  const options = ormOptions(settings);
  return {
    ...options,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    // One connection: what a migration sets, holds for what it does next.
    pool: { max: 1 },
    driverOptions: { ...options.driverOptions, statement_timeout: 0, query_timeout: 0 },
  };
}

export function ormOptions(settings: Settings): Options {
  return defineConfig({
    clientUrl: settings.DATABASE_URL,
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    // Each migration commits for itself: an index that is built concurrently needs to see the table.
    migrations: {
      path: migrationsFolder,
      tableName: 'migration',
      snapshot: false,
      silent: true,
      allOrNothing: false,
    },
    pool: { max: settings.DATABASE_POOL, idleTimeoutMillis: 30_000 },
    driverOptions: {
      ...CONNECTION,
      application_name: 'slipway',
      pipeline: true,
      onPoolCreated: (pool: Pool) => {
        takeBackDeadConnections(pool);
        sendTogether(pool);
      },
    },
    ensureDatabase: false,
  });
}
