import { Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { ConnectionPool } from '../database/connection-pool.js';
import { connectionOptions } from '../database/orm-options.js';
import { Statements } from '../database/statements.js';
import { Lanes } from './lanes.js';

/** Two connections, so that one slow statement does not delay a heartbeat. */
const CONNECTIONS = 2;

/**
 * Makes PostgreSQL use indexes. A worker looks up a few rows of tables that may be large, and its connections keep their
 * plans. A plan that was made while a table was almost empty would otherwise read and sort all rows of the table later.
 * Before version 18, PostgreSQL adds so much to the cost of what is off that it would compile each such statement.
 */
const USE_INDEXES = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']
  .map((name) => `set_config('${name}', 'off', false)`)
  .join(', ');

/**
 * Connections apart from the pool, for what must not wait for it: claims, heartbeats, recovery, progress, the
 * partitions of the ledger, the leases of models, and some counts of metrics. Leases are renewed and free slots are
 * filled even while the jobs keep all other connections busy. The connections are opened when they are first used.
 */
@Injectable()
class WorkerPool implements OnApplicationShutdown {
  readonly connections: ConnectionPool;

  constructor(settings: Settings, { watchers }: ConnectionPool) {
    const options = { ...connectionOptions(settings), application_name: 'slipway-worker', max: CONNECTIONS };
    // A connection that a pooler shares keeps neither plans nor settings.
    const setUp = !options.isPooled && { setUp: `select ${USE_INDEXES}` };
    this.connections = new ConnectionPool({ ...options, ...setUp }, watchers);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connections.end();
  }
}

/** The tokens of `Statements` and `Lanes` that use the worker's own connections. */
export const WORKER_STATEMENTS = Symbol('worker statements');
export const WORKER_LANES = Symbol('worker lanes');

export const workerProviders: Provider[] = [
  WorkerPool,
  {
    provide: WORKER_STATEMENTS,
    useFactory: ({ connections }: WorkerPool) => new Statements(connections, 'stays apart'),
    inject: [WorkerPool],
  },
  {
    provide: WORKER_LANES,
    useFactory: (statements: Statements) => new Lanes(statements),
    inject: [WORKER_STATEMENTS],
  },
];
