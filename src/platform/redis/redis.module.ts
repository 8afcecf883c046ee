import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Log } from '../telemetry/log.js';
import { InstallationGauges } from './installation-gauges.js';
import { Notifications } from './notifications.js';
import { RedisCheck } from './redis.check.js';
import { FOR_REQUESTS, openRedis, REDIS, type RedisClient } from './redis-client.js';

function connect(settings: Settings, log: Log): RedisClient {
  const redis = openRedis(settings.REDIS_URL, FOR_REQUESTS);
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
  providers: [
    { provide: REDIS, useFactory: connect, inject: [Settings, Log] },
    InstallationGauges,
    Notifications,
    RedisCheck,
  ],
  exports: [REDIS, InstallationGauges, Notifications],
})
export class RedisModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
