import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { actorId } from '../../kernel/actor.js';
import { currentRequest } from '../context/request-context.js';
import { routeOf } from '../route/route.js';
import { RateCounter } from './rate-counter.js';

/** The last guard limits the rate of requests. Administration keys are not counted. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly counter: RateCounter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const actor = currentRequest()?.actor;
    const response = context.switchToHttp().getResponse<Response>();
    if (actor && actor.kind !== 'admin') {
      await this.counter.count(routeOf(context).rateGroup, actorId(actor), response);
    }
    return true;
  }
}
