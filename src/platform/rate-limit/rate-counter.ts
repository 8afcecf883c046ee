import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Settings } from '../config/settings.js';
import type { RateGroup } from '../route/rate-group.js';
import { rateLimitErrors } from './rate-limit.errors.js';
import { REDIS, type RedisClient } from '../redis/redis-client.js';

/**
 * Each group has a counter of its own: a group of routes counts by caller or address, and FAILED_AUTH counts refused
 * credentials by address.
 */
type Group = RateGroup | 'FAILED_AUTH';
const GROUPS: readonly Group[] = ['DEFAULT', 'LEDGER', 'MESSAGES', 'SIGN_IN', 'FAILED_AUTH'];

const WINDOW_SECONDS = 60;

/** The time for which no request waits for Redis again after it failed to answer. */
const WITHOUT_REDIS_MS = 1_000;

/**
 * Counts in Redis for all processes. While Redis is unavailable each process counts for itself, and no request is
 * refused because of that.
 */
@Injectable()
export class RateCounter {
  private readonly shared: Map<Group, RateLimiterRedis>;
  private readonly own: Map<Group, RateLimiterMemory>;
  private withoutRedisUntil = 0;

  constructor(
    private readonly settings: Settings,
    @Inject(REDIS) redis: RedisClient,
  ) {
    const optionsOf = (group: Group) => ({
      keyPrefix: `${settings.REDIS_PREFIX}:rate:${group}`,
      points: this.limitOf(group),
      duration: WINDOW_SECONDS,
    });
    this.shared = new Map(
      GROUPS.map((group) => [group, new RateLimiterRedis({ ...optionsOf(group), storeClient: redis })]),
    );
    this.own = new Map(GROUPS.map((group) => [group, new RateLimiterMemory(optionsOf(group))]));
  }

  /**
   * Counts a request, reports the state in the response's headers, and refuses the request beyond the limit. A limit of
   * 0 means no limit.
   */
  async count(group: Group, who: string, response: Response): Promise<void> {
    const limit = this.limitOf(group);
    if (limit === 0) return;
    const { isExceeded, remaining, resetSeconds } = await this.consume(group, who);
    const policy = group.toLowerCase().replace('_', '-');
    response.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
    response.setHeader('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
    if (isExceeded) throw rateLimitErrors.exceeded({ seconds: resetSeconds }, { retryAfter: resetSeconds });
  }

  private async consume(group: Group, who: string): Promise<State> {
    if (performance.now() < this.withoutRedisUntil) return consumeFrom(this.own.get(group)!, who);
    try {
      return await consumeFrom(this.shared.get(group)!, who);
    } catch {
      this.withoutRedisUntil = performance.now() + WITHOUT_REDIS_MS;
      return consumeFrom(this.own.get(group)!, who);
    }
  }

  private limitOf(group: Group): number {
    return this.settings[`RATE_LIMIT_${group}`];
  }
}

interface State {
  isExceeded: boolean;
  remaining: number;
  resetSeconds: number;
}

/** The limiters throw a RateLimiterRes for an excess, and an error for a failure. */
async function consumeFrom(limiter: RateLimiterRedis | RateLimiterMemory, who: string): Promise<State> {
  try {
    return toState(false, await limiter.consume(who));
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return toState(true, refusal);
    throw refusal;
  }
}

function toState(isExceeded: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): State {
  return { isExceeded, remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}
