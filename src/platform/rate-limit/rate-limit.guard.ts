import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { actorId } from '../../kernel/actor.js';
import { currentRequest } from '../context/request-context.js';
import { routeOf } from '../route/route.js';
import { networkOf } from './network-of.js';
import { RateCounter } from './rate-counter.js';

/**
 * The last guard limits the rate of requests: by caller, or by address on public routes that name a group. Administration
 * keys are not counted.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly counter: RateCounter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { rateGroup } = routeOf(context);
    const actor = currentRequest()?.actor;
    if (!rateGroup || actor?.kind === 'admin') return true;
    const http = context.switchToHttp();
    const who = actor ? actorId(actor) : networkOf(http.getRequest<Request>().ip ?? '');
    await this.counter.count(rateGroup, who, http.getResponse<Response>());
    return true;
  }
}
