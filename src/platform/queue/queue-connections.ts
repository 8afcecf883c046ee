import { Redis, type RedisOptions } from 'ioredis';
import type { QueueOptions } from 'bull';
import { type Settings } from '../config/settings.js';
import { toRedisOptions } from '../config/redis-options.js';

/** One Redis queue under two names: while Redis is unavailable, ringing must fail at once and listening must wait. */
export const BELLS_OUT = 'bells:out';
export const BELLS_IN = 'bells:in';
const REDIS_NAME = 'bells';

type Connection = 'client' | 'subscriber' | 'bclient';

export function ringing(settings: Settings): QueueOptions & { name: string } {
  return queueOptions(settings, (type) => connect(settings, type === 'client' ? FAILS_AT_ONCE : WAITS_FOR_REDIS));
}

export function listening(settings: Settings): QueueOptions & { name: string } {
  return queueOptions(settings, () => connect(settings, WAITS_FOR_REDIS));
}

function queueOptions(settings: Settings, createClient: (type: Connection) => Redis): QueueOptions & { name: string } {
  return {
    name: REDIS_NAME,
    prefix: settings.REDIS_PREFIX,
    createClient,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    // If a process dies while it answers a bell, Bull delivers the bell again, without limit; the database limits the
    // attempts at a job.
    settings: { maxStalledCount: 1_000_000 },
  };
}

const SHARED: RedisOptions = {
  enableReadyCheck: false,
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
};
const WAITS_FOR_REDIS: RedisOptions = { ...SHARED, maxRetriesPerRequest: null };
const FAILS_AT_ONCE: RedisOptions = {
  ...SHARED,
  enableOfflineQueue: false,
  commandTimeout: 500,
  connectTimeout: 500,
  maxRetriesPerRequest: 0,
};

const open = new Set<Redis>();

function connect(settings: Settings, options: RedisOptions): Redis {
  const redis = new Redis({ ...toRedisOptions(settings.REDIS_URL), ...options });
  // platform/redis logs that Redis is unavailable, once for all connections.
  redis.on('error', () => undefined);
  open.add(redis);
  return redis;
}

/**
 * Closes what Bull leaves open, since it does not close connections that it did not make. `connect` does nothing from
 * then on: while closing, Bull would otherwise open the connection again on which it waits for bells.
 */
export function disconnectAll(): void {
  for (const redis of open) {
    redis.connect = () => Promise.resolve();
    redis.disconnect();
  }
  open.clear();
}
