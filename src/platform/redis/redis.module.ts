import { Global, Module } from '@nestjs/common';
import { InstallationGauges } from './installation-gauges.js';
import { Notifications } from './notifications.js';
import { RedisCheck } from './redis.check.js';
import { REDIS } from './redis-client.js';
import { RedisConnection } from './redis-connection.js';

@Global()
@Module({
  providers: [
    RedisConnection,
    { provide: REDIS, useFactory: ({ client }: RedisConnection) => client, inject: [RedisConnection] },
    InstallationGauges,
    Notifications,
    RedisCheck,
  ],
  exports: [REDIS, RedisConnection, InstallationGauges, Notifications],
})
export class RedisModule {}
