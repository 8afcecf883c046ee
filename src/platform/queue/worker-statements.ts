import { Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import pg from 'pg';
import { Settings } from '../config/settings.js';
import { CONNECTION } from '../database/orm-options.js';
import { Statements } from '../database/statements.js';
import { LineStore } from './line-store.js';

/** One to claim with, and one for signs of life and what is put right meanwhile. */
const CONNECTIONS = 2;

/**
 * The connections for what a process asks for its jobs and measures: however busy its work keeps the others, leases are
 * renewed and free slots filled. Opened when first used.
 */
@Injectable()
class WorkerPool implements OnApplicationShutdown {
  readonly pool: pg.Pool;

  constructor(settings: Settings) {
    this.pool = new pg.Pool({
      ...CONNECTION,
      connectionString: settings.DATABASE_URL,
      application_name: 'slipway-worker',
      max: CONNECTIONS,
    });
    // One that breaks is replaced by the next statement, which also tells of it.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** `Statements` and `LineStore` on the worker's own connections. */
export const WORKER_STATEMENTS = Symbol('worker statements');
export const WORKER_LINES = Symbol('worker lines');

export const workerProviders: Provider[] = [
  WorkerPool,
  {
    provide: WORKER_STATEMENTS,
    useFactory: ({ pool }: WorkerPool) => new Statements(() => Promise.resolve(pool), 'stays apart'),
    inject: [WorkerPool],
  },
  {
    provide: WORKER_LINES,
    useFactory: (statements: Statements) => new LineStore(statements),
    inject: [WORKER_STATEMENTS],
  },
];
