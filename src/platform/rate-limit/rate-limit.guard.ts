import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Settings } from '../config/settings.js';
import { currentRequest } from '../context/request-context.js';
import { routeOf } from '../http/route.js';
import { RateCounter } from './rate-counter.js';
import { rateLimitErrors } from './rate-limit.errors.js';

/** Last of the guards: not too fast. Routes of one group share a count for each key. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly settings: Settings,
    private readonly counter: RateCounter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const actor = currentRequest()?.actor;
    const group = routeOf(context).rateGroup;
    const limit = this.settings[`RATE_LIMIT_${group}`];
    if (actor?.kind !== 'key' || limit === 0) return true;

    const name = group.toLowerCase();
    const { allowed, remaining, resetSeconds } = await this.counter.count(name, actor.keyId, limit);
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=60`);
    response.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
    if (!allowed) {
      throw rateLimitErrors.exceeded({ seconds: resetSeconds }, { headers: { 'retry-after': String(resetSeconds) } });
    }
    return true;
  }
}
