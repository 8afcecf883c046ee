import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Settings } from '../config/settings.js';
import { rateLimitErrors } from './rate-limit.errors.js';

/** What is counted apart. Each has its limit in the setting `RATE_LIMIT_<group>`. */
const GROUPS = ['DEFAULT', 'FAILED_AUTH'] as const;
type Group = (typeof GROUPS)[number];

const WINDOW_SECONDS = 60;

/** Counts in Redis for all processes; while Redis is away each process counts for itself, and nothing is refused for it. */
@Injectable()
export class RateCounter {
  private readonly limiters: Map<Group, RateLimiterRedis>;

  constructor(
    private readonly settings: Settings,
    redis: Redis,
  ) {
    this.limiters = new Map(
      GROUPS.map((group) => [group, limiterOf(`${settings.REDIS_PREFIX}:rate:${group}`, this.limitOf(group), redis)]),
    );
  }

  /** Counts, says so in the response's headers, and refuses what is too much. A limit of 0 is none. */
  async count(group: Group, who: string, response: Response): Promise<void> {
    const limit = this.limitOf(group);
    if (limit === 0) return;
    const { isPassed, remaining, resetSeconds } = await this.consume(group, who);
    const policy = group.toLowerCase().replace('_', '-');
    response.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
    response.setHeader('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
    if (isPassed) throw rateLimitErrors.exceeded({ seconds: resetSeconds }, { retryAfter: resetSeconds });
  }

  private async consume(group: Group, who: string) {
    try {
      return toState(false, await this.limiters.get(group)!.consume(who));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return toState(true, refusal);
      throw refusal;
    }
  }

  private limitOf(group: Group): number {
    return this.settings[`RATE_LIMIT_${group}`];
  }
}

function limiterOf(keyPrefix: string, points: number, redis: Redis): RateLimiterRedis {
  const options = { keyPrefix, points, duration: WINDOW_SECONDS };
  return new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: new RateLimiterMemory(options) });
}

function toState(isPassed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes) {
  return { isPassed, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}
