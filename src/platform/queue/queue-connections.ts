import { Redis, type RedisOptions } from 'ioredis';
import type { QueueOptions } from 'bull';
import { type Settings } from '../config/settings.js';
import { toRedisOptions } from '../config/redis-options.js';

/** One Redis queue under two names, since ringing must fail at once while Redis is away and listening must not. */
export const BELLS_OUT = 'bells:out';
export const BELLS_IN = 'bells:in';
const REDIS_NAME = 'bells';

type Connection = 'client' | 'subscriber' | 'bclient';

export function ringing(settings: Settings): QueueOptions & { name: string } {
  return queueOptions(settings, (type) => connect(settings, type === 'client' ? IMPATIENT : PATIENT));
}

export function listening(settings: Settings): QueueOptions & { name: string } {
  return queueOptions(settings, () => connect(settings, PATIENT));
}

function queueOptions(settings: Settings, createClient: (type: Connection) => Redis): QueueOptions & { name: string } {
  return {
    name: REDIS_NAME,
    prefix: settings.REDIS_PREFIX,
    createClient,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    // A bell whose process died is heard again for ever; how often a job is tried is said in the database.
    settings: { maxStalledCount: 1_000_000 },
  };
}

const SHARED: RedisOptions = {
  enableReadyCheck: false,
  disconnectTimeout: 100,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
};
const PATIENT: RedisOptions = { ...SHARED, maxRetriesPerRequest: null };
const IMPATIENT: RedisOptions = {
  ...SHARED,
  enableOfflineQueue: false,
  commandTimeout: 500,
  connectTimeout: 500,
  maxRetriesPerRequest: 0,
};

const open = new Set<Redis>();

function connect(settings: Settings, options: RedisOptions): Redis {
  const redis = new Redis({ ...toRedisOptions(settings.REDIS_URL), ...options });
  // Told in the log by platform/redis, once and for all connections.
  redis.on('error', () => undefined);
  open.add(redis);
  return redis;
}

/** Bull leaves the connections it was given to whoever gave them; closing, it would open the one anew it waits on. */
export function disconnectAll(): void {
  for (const redis of open) {
    redis.connect = () => Promise.resolve();
    redis.disconnect();
  }
  open.clear();
}
