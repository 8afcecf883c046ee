import { fileURLToPath } from 'node:url';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import type { Settings } from '../config/settings.js';
import { type ConnectionOptions, ConnectionPool } from './connection-pool.js';
import { ConstraintNames } from './constraint-names.js';
import { PipeliningDialect } from './dialect.js';

const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** The time limit of a statement in the server. The client's own limit is a second longer, in case the server hangs. */
const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * The time limit for a lock. A request that would wait longer is answered 503, because trying again is better than
 * waiting.
 */
const LOCK_TIMEOUT_MS = 2_000;
/**
 * The time for which a transaction may be idle. A transaction waits for nothing but the database, so an idle one belongs
 * to a process that hangs, or that computes with a very large body.
 */
const IDLE_IN_TRANSACTION_MS = 15_000;
/** The locks of a worker that hangs end before the waits of requests for them do. Workers receive no large bodies. */
const IDLE_IN_WORKER_MS = LOCK_TIMEOUT_MS - 500;
const CONNECT_TIMEOUT_MS = 5_000;
/** A replica that takes longer to give a connection, or to say its position, does not answer the read. */
export const REPLICA_WITHIN_MS = 500;

/** The time limits that the server applies, in milliseconds. */
export const SERVER_LIMITS = {
  lock_timeout: LOCK_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

const CLIENT_LIMITS = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
};

/**
 * The options of every connection for statements. A pooler gives each transaction another connection of the server, so
 * a connection can neither have limits of its own nor keep plans. The role has the limits then.
 */
export function connectionOptions({ DATABASE_URL, DATABASE_DIRECT_URL, SLIPWAY_ROLE }: Settings): ConnectionOptions {
  const isPooled = DATABASE_DIRECT_URL !== undefined;
  const ofWorker = SLIPWAY_ROLE === 'worker' && { idle_in_transaction_session_timeout: IDLE_IN_WORKER_MS };
  const limits = !isPooled && { ...SERVER_LIMITS, ...ofWorker };
  return { connectionString: DATABASE_URL, isPooled, ...CLIENT_LIMITS, ...limits };
}

/** The address of the server itself, for what needs a connection of the server for longer than a transaction. */
export function directUrl({ DATABASE_URL, DATABASE_DIRECT_URL }: Settings): string {
  return DATABASE_DIRECT_URL ?? DATABASE_URL;
}

/** The pool of the process. */
export function connectionPool(settings: Settings): ConnectionPool {
  return poolAt(settings.DATABASE_URL, settings);
}

/** The pool for the replica, if there is one. */
export function replicaPool(settings: Settings): ConnectionPool | undefined {
  const { DATABASE_READ_URL } = settings;
  if (DATABASE_READ_URL === undefined) return undefined;
  return poolAt(DATABASE_READ_URL, settings, { connectionTimeoutMillis: REPLICA_WITHIN_MS });
}

function poolAt(connectionString: string, settings: Settings, changes: ConnectionOptions = {}): ConnectionPool {
  return new ConnectionPool({
    ...connectionOptions(settings),
    connectionString,
    application_name: 'slipway',
    max: settings.DATABASE_POOL,
    idleTimeoutMillis: 30_000,
    ...changes,
  });
}

/**
 * The options for migrations, without a time limit for statements, because an index on a large table takes long to
 * build. The time limit for locks stays.
 */
export function migrationOrmOptions(settings: Settings): Options {
  const pool = new ConnectionPool({
    ...CLIENT_LIMITS,
    ...SERVER_LIMITS,
    connectionString: directUrl(settings),
    application_name: 'slipway',
    // With one connection, what a migration sets is still set for its next statement.
    max: 1,
    statement_timeout: undefined,
    query_timeout: 0,
    // The role may have a limit.
    setUp: 'set statement_timeout = 0',
  });
  return { ...ormOptions(settings, pool), entities: [], discovery: { warnWhenNoEntities: false } };
}

export function ormOptions(settings: Settings, pool: ConnectionPool): Options {
  return defineConfig({
    clientUrl: settings.DATABASE_URL,
    metadataProvider: ReflectMetadataProvider,
    namingStrategy: ConstraintNames,
    // The initial value of a member is not the default of its column.
    discovery: { inferDefaultValues: false },
    extensions: [Migrator],
    // Each migration commits for itself, because an index that is built concurrently needs to see the table.
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
