import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { KeyListener } from '../auth/key-listener.js';
import { Settings } from '../config/settings.js';
import { packageVersion } from '../config/project-file.js';
import { ConnectionPool } from '../database/connection-pool.js';
import { DatabaseClock } from '../database/database-clock.js';
import { Storage } from '../storage/storage.js';
import { defineGauge } from '../telemetry/metric-definition.js';
import { Metrics, MetricsRegistry } from '../telemetry/metrics.js';
import { RedisConnection } from '../redis/redis-connection.js';

const info = defineGauge('slipway_info', {
  help: 'The version of this process, with the value 1.',
  labels: ['version'],
});
const redisUp = defineGauge('slipway_redis_up', { help: 'Whether Redis answers and takes writes: 1 or 0.' });
const clockAhead = defineGauge('slipway_clock_ahead_seconds', {
  help: "Seconds by which the machine's clock is ahead of the database's.",
});
const receivesRevocations = defineGauge('slipway_revocations_heard', {
  help: 'Whether this process receives notifications of revoked keys: 1 or 0.',
});
const storageFree = defineGauge('slipway_storage_free_bytes', {
  help: 'Bytes that still fit into the folder in which files are stored. The metric is missing for a bucket.',
});
const connectionsMax = defineGauge('slipway_database_connections_max', {
  help: 'Database connections that this process may have.',
});
const connections = defineGauge('slipway_database_connections', {
  help: 'Database connections that this process has.',
});
const connectionsIdle = defineGauge('slipway_database_connections_idle', {
  help: 'Database connections of this process that are not in use.',
});
const databaseWaiting = defineGauge('slipway_database_waiting', {
  help: 'Requests and jobs that wait for a database connection.',
});

/** Measures the process, and on each scrape the database pool and Redis on which it depends. */
@Injectable()
export class ProcessMetrics implements OnModuleInit {
  constructor(
    private readonly registry: MetricsRegistry,
    private readonly metrics: Metrics,
    private readonly pool: ConnectionPool,
    private readonly redis: RedisConnection,
    private readonly revocations: KeyListener,
    private readonly databaseClock: DatabaseClock,
    private readonly storage: Storage,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    const { metrics } = this;
    collectDefaultMetrics({ register: this.registry });
    metrics.read(info, () => [[{ version: packageVersion() }, 1]]);
    metrics.read(redisUp, () => this.redis.check().then(toOne, toZero));
    metrics.read(clockAhead, () => this.databaseClock.differenceMs / 1_000);
    metrics.read(receivesRevocations, () => Number(this.revocations.isListening));
    // A bucket has no limit.
    metrics.read(storageFree, async () => (await this.storage.freeBytes()) ?? []);
    metrics.read(connectionsMax, () => this.settings.DATABASE_POOL);
    metrics.read(connections, () => this.pool.counts.total);
    metrics.read(connectionsIdle, () => this.pool.counts.idle);
    metrics.read(databaseWaiting, async () => {
      // A query of another metric may be waiting at this moment. It has its connection by the next turn of the event
      // loop and must not count.
      await nextTurn();
      return this.pool.counts.waiting;
    });
  }
}

const toOne = () => 1;
const toZero = () => 0;
