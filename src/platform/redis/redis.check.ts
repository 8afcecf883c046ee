import { ReplyError } from 'ioredis';
import { ChecksReadiness, ReadinessCheck, type ReadinessFinding } from '../readiness/readiness-check.js';
import { KnownOutage } from './outages.js';
import { RedisConnection } from './redis-connection.js';

@ChecksReadiness({ name: 'redis', failure: 'does not answer', isDispensable: true })
export class RedisCheck extends ReadinessCheck {
  constructor(private readonly redis: RedisConnection) {
    super();
  }

  async check(): Promise<ReadinessFinding> {
    try {
      await this.redis.check();
      return { status: 'up' };
    } catch (error) {
      if (error instanceof KnownOutage) return { status: 'degraded', message: error.sentence };
      // The first word of such an error is its code.
      if (error instanceof ReplyError)
        return { status: 'degraded', message: `refuses commands (${(error as Error).message.split(' ', 1)[0]})` };
      throw error;
    }
  }
}
