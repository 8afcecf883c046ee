import { fileURLToPath } from 'node:url';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import type { Settings } from '../config/settings.js';
import { ConnectionPool } from './connection-pool.js';
import { ConstraintNames } from './constraint-names.js';
import { PipeliningDialect } from './dialect.js';

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

/** The connections of a process. */
export function connectionPool({ DATABASE_URL, DATABASE_POOL }: Settings): ConnectionPool {
  return new ConnectionPool({
    ...CONNECTION,
    connectionString: DATABASE_URL,
    application_name: 'slipway',
    max: DATABASE_POOL,
    idleTimeoutMillis: 30_000,
  });
}

/** For migrations: building an index takes as long as its table is large. Their locks are waited for as short as ever. */
export function patientOrmOptions(settings: Settings): Options {
  const pool = new ConnectionPool({
    ...CONNECTION,
    connectionString: settings.DATABASE_URL,
    application_name: 'slipway',
    // One connection: what a migration sets, holds for what it does next.
    max: 1,
    statement_timeout: 0,
    query_timeout: 0,
  });
  return { ...ormOptions(settings, pool), entities: [], discovery: { warnWhenNoEntities: false } };
}

export function ormOptions(settings: Settings, pool: ConnectionPool): Options {
  return defineConfig({
    clientUrl: settings.DATABASE_URL,
    metadataProvider: ReflectMetadataProvider,
    namingStrategy: ConstraintNames,
    // What a class begins with is no default of its column.
    discovery: { inferDefaultValues: false },
    extensions: [Migrator],
    // Each migration commits for itself: an index that is built concurrently needs to see the table.
    migrations: {
      path: migrationsFolder,
      tableName: 'migration',
      snapshot: false,
      silent: true,
      allOrNothing: false,
    },
    driverOptions: new PipeliningDialect(pool),
    ensureDatabase: false,
  });
}
