import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../kernel/actor.js';
import { currentRequest } from '../context/request-context.js';
import { FailedAuthentications } from '../rate-limit/failed-authentications.js';
import { routeOf } from '../route/route.js';
import { AdminKeyStrategy } from './admin-key.strategy.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { authErrors } from './auth.errors.js';
import { readCredential } from './credential.js';
import { RunningRequests } from './running-requests.js';

/** First of the guards: who asks? Passport checks the key; this decides which kind the route takes. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly apiKeys: ApiKeyStrategy,
    private readonly adminKeys: AdminKeyStrategy,
    private readonly running: RunningRequests,
    private readonly failures: FailedAuthentications,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOf(context);
    if (route.access === 'public') return true;

    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    try {
      request.headers['x-api-key'] = readCredential(request, route.takesBearer);
      const strategy = route.access === 'administration' ? this.adminKeys : this.apiKeys;
      currentRequest()!.keyReadAt = performance.now();
      this.enter(await authenticate(strategy, request), response, route.survivesRevocation);
    } catch (error) {
      await this.failures.countAndRefuse(error, request.ip ?? '', response);
      throw error;
    }
    return true;
  }

  private enter(actor: Caller, response: Response, survivesRevocation: boolean): void {
    const request = currentRequest()!;
    // Of a client that has left, no 'close' would come any more to leave the list again.
    request.throwIfAborted();
    request.actor = actor;
    if (actor.keyId === null) return;

    const stop = survivesRevocation ? () => undefined : () => request.abort(authErrors.keyRevoked());
    response.once('close', this.running.enter(actor.keyId, stop));
    // Entered first, asked second: a revocation between the key's read and here is seen by one of the two.
    if (this.running.isRevoked(actor.keyId)) throw authErrors.keyInvalid();
  }
}

/** What passport does with a strategy: each attempt on an object of its own, since the outcome is told by calling it. */
function authenticate(strategy: ApiKeyStrategy | AdminKeyStrategy, request: Request): Promise<Caller> {
  return new Promise((resolve, reject) => {
    const outcome = {
      success: resolve,
      fail: () => reject(authErrors.keyInvalid()),
      error: reject,
    };
    Object.assign(Object.create(strategy) as typeof strategy, outcome).authenticate(request);
  });
}
