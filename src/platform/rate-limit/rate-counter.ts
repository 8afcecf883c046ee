import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;

export interface Count {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window starts anew. */
  resetSeconds: number;
}

/** Counts in Redis for all processes; while Redis is away each process counts for itself, and nothing is refused for it. */
@Injectable()
export class RateCounter {
  private readonly limiters = new Map<string, RateLimiterAbstract>();

  constructor(private readonly redis: Redis) {}

  async count(group: string, who: string, perMinute: number): Promise<Count> {
    const limiter = this.limiters.get(group) ?? this.limiterOf(group, perMinute);
    try {
      return toCount(true, await limiter.consume(who));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return toCount(false, refusal);
      throw refusal;
    }
  }

  private limiterOf(group: string, perMinute: number): RateLimiterAbstract {
    const options = { keyPrefix: `rate:${group}`, points: perMinute, duration: WINDOW_SECONDS };
    const limiter = new RateLimiterRedis({
      ...options,
      storeClient: this.redis,
      insuranceLimiter: new RateLimiterMemory(options),
    });
    this.limiters.set(group, limiter);
    return limiter;
  }
}

function toCount(allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Count {
  return { allowed, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}
