import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { toRedisOptions } from '../config/redis-options.js';
import { InstallationGauges } from './installation-gauges.js';
import { Notifications } from './notifications.js';

/** How long a request may wait for Redis before it goes on without it. */
const COMMAND_TIMEOUT_MS = 250;

function connect(settings: Settings, log: Log): Redis {
  const redis = new Redis({
    ...toRedisOptions(settings.REDIS_URL),
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 2_000,
    disconnectTimeout: 100,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  });
  let away = false;
  redis.on('error', (error: Error) => {
    if (!away)
      log.warn({ reason: error.message }, 'Redis does not answer, so each process counts rate limits by itself');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('Redis answers again');
    away = false;
  });
  return redis;
}

@Global()
@Module({
  providers: [{ provide: Redis, useFactory: connect, inject: [Settings, Log] }, InstallationGauges, Notifications],
  exports: [Redis, InstallationGauges, Notifications],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(Redis) private readonly redis: Redis) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
