import { Injectable, Module } from '@nestjs/common';
import type { QueueOptions } from 'bull';
import type { RedisOptions } from 'ioredis';
import type { QueueName } from '../../kernel/queues.js';
import { toRedisAddress } from '../config/redis-address.js';
import { Settings } from '../config/settings.js';
import { openRedis, type RedisClient } from '../redis/redis-client.js';

type Connection = 'client' | 'subscriber' | 'bclient';
type NamedOptions = QueueOptions & { name: string };

/**
 * The connections of the queues to Redis. All queues share one to ring, one to answer and one for events. Each queue that
 * a process serves has one more, which waits for its bells.
 */
@Injectable()
export class QueueConnections {
  private readonly open = new Set<RedisClient>();
  private readonly shared = new Map<string, RedisClient>();

  constructor(private readonly settings: Settings) {}

  /** A script of Bull uses several keys of a queue, so a cluster has to keep them at one node: braces say that. */
  private get isCluster(): boolean {
    return toRedisAddress(this.settings.REDIS_URL).nodes.length > 0;
  }

  /** Whether the process would learn of a bell now. */
  get isListening(): boolean {
    return this.sharedOne('listening client', ASKS).status === 'ready';
  }

  ringing(queue: QueueName): NamedOptions {
    return this.queueOptions(queue, (type) =>
      this.sharedOne(`ringing ${type}`, type === 'client' ? FAILS_AT_ONCE : WAITS),
    );
  }

  listening(queue: QueueName): NamedOptions {
    return this.queueOptions(queue, (type) =>
      type === 'bclient' ? this.connect(WAITS) : this.sharedOne(`listening ${type}`, type === 'client' ? ASKS : WAITS),
    );
  }

  /**
   * Closes what Bull leaves open, since it does not close connections that it did not make. `connect` does nothing from
   * then on: while closing, Bull would otherwise open the connection again on which it waits for bells.
   */
  disconnect(): void {
    for (const redis of this.open) {
      redis.connect = () => Promise.resolve();
      redis.disconnect();
    }
    this.open.clear();
  }

  private queueOptions(name: QueueName, createClient: (type: Connection) => RedisClient): NamedOptions {
    return {
      name,
      prefix: this.isCluster ? `{${this.settings.REDIS_PREFIX}:${name}}` : this.settings.REDIS_PREFIX,
      createClient,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
      // If a process dies while it answers a bell, Bull delivers the bell again, without limit; the database limits the
      // attempts at a job.
      settings: { maxStalledCount: 1_000_000 },
    };
  }

  private sharedOne(name: string, options: RedisOptions): RedisClient {
    const known = this.shared.get(name) ?? this.connect(options);
    this.shared.set(name, known);
    return known;
  }

  private connect(options: RedisOptions): RedisClient {
    const redis = openRedis(this.settings.REDIS_URL, options);
    // platform/redis logs that Redis is unavailable, once for all connections.
    redis.on('error', () => undefined);
    this.open.add(redis);
    return redis;
  }
}

/** Provides the connections to the modules of the queues, which make their options of them. */
@Module({ providers: [QueueConnections], exports: [QueueConnections] })
export class QueueConnectionsModule {}

const COMMON: RedisOptions = {
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
};
const ASKS: RedisOptions = { ...COMMON, maxRetriesPerRequest: null };
/** Bull refuses the check whether Redis is ready on the connections that only wait. */
const WAITS: RedisOptions = { ...ASKS, enableReadyCheck: false };
const FAILS_AT_ONCE: RedisOptions = {
  ...COMMON,
  enableOfflineQueue: false,
  commandTimeout: 500,
  connectTimeout: 500,
  maxRetriesPerRequest: 0,
};
