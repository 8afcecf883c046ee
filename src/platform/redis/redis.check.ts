import { Inject } from '@nestjs/common';
import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';
import { REDIS, type RedisClient } from './redis-client.js';

@ChecksReadiness({ name: 'redis', failure: 'does not answer', isDispensable: true })
export class RedisCheck extends ReadinessCheck {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {
    super();
  }

  async check(): Promise<ReadinessFinding> {
    await this.redis.ping();
    return { status: 'up' };
  }
}
