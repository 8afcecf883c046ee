import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { KeyListener } from '../auth/key-listener.js';
import { Settings } from '../config/settings.js';
import { packageVersion } from '../config/project-file.js';
import { ConnectionPool } from '../database/connection-pool.js';
import { DatabaseClock } from '../database/database-clock.js';
import { Storage } from '../storage/storage.js';
import { Metrics } from '../telemetry/metrics.js';
import { REDIS, type RedisClient } from '../redis/redis-client.js';

const STORAGE_ANSWERS_WITHIN_MS = 1_000;

/** Measures the process, and on each scrape the database pool and Redis on which it depends. */
@Injectable()
export class ProcessMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly pool: ConnectionPool,
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly revocations: KeyListener,
    private readonly databaseClock: DatabaseClock,
    private readonly storage: Storage,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    collectDefaultMetrics({ register: this.metrics });
    this.measurePool();
    this.measureStorage();
    new Gauge({
      name: 'slipway_info',
      help: 'The version of this process, with the value 1.',
      labelNames: ['version'],
      registers: [this.metrics],
    }).set({ version: packageVersion() }, 1);
    this.gauge('redis_up', 'Whether Redis answers: 1 or 0.', () => this.redis.ping().then(toOne, toZero));
    this.gauge('clock_ahead_seconds', "Seconds by which the machine's clock is ahead of the database's.", () => {
      return this.databaseClock.differenceMs / 1_000;
    });
    this.gauge('revocations_heard', 'Whether this process receives notifications of revoked keys: 1 or 0.', () =>
      Number(this.revocations.isListening),
    );
  }

  /** A bucket has no limit, and a folder that does not answer must not delay the scrape: both then have no value. */
  private measureStorage(): void {
    const freeBytes = () => this.storage.freeBytes().catch(() => null);
    const gauge: Gauge = new Gauge({
      name: 'slipway_storage_free_bytes',
      help: 'Bytes that still fit into the folder in which files are stored. The metric is missing for a bucket.',
      registers: [this.metrics],
      async collect() {
        const free = await Promise.race([freeBytes(), wait(STORAGE_ANSWERS_WITHIN_MS, null, { ref: false })]);
        if (free === null) gauge.remove();
        else gauge.set(free);
      },
    });
  }

  private measurePool(): void {
    this.gauge('database_connections_max', 'Database connections that this process may have.', () => {
      return this.settings.DATABASE_POOL;
    });
    this.gauge('database_connections', 'Database connections that this process has.', () => this.pool.counts.total);
    this.gauge(
      'database_connections_idle',
      'Database connections of this process that are not in use.',
      () => this.pool.counts.idle,
    );
    this.gauge('database_waiting', 'Requests and jobs that wait for a database connection.', async () => {
      // A query of another metric may be waiting at this moment. It has its connection by the next turn of the event
      // loop and must not count.
      await nextTurn();
      return this.pool.counts.waiting;
    });
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name: `slipway_${name}`,
      help,
      registers: [this.metrics],
      async collect() {
        this.set(await read());
      },
    });
  }
}

const toOne = () => 1;
const toZero = () => 0;
