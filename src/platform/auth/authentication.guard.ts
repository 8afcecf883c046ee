import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request, Response } from 'express';
import { currentRequest } from '../context/request-context.js';
import { routeOf } from '../route/route.js';
import { FailedAuthentications } from '../rate-limit/failed-authentications.js';
import type { Caller } from '../../kernel/actor.js';
import { authErrors } from './auth.errors.js';
import { readCredential } from './credential.js';
import { RunningRequests } from './running-requests.js';

class ApiKeyGuard extends AuthGuard('api-key') {}
class AdminKeyGuard extends AuthGuard('admin-key') {}

/** First of the guards: who asks? Passport checks the key; this decides which kind the route takes. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  private readonly apiKey = new ApiKeyGuard();
  private readonly adminKey = new AdminKeyGuard();

  constructor(
    private readonly running: RunningRequests,
    private readonly failures: FailedAuthentications,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOf(context);
    if (route.access === 'public') return true;

    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: Caller }>();
    const response = http.getResponse<Response>();
    try {
      request.headers['x-api-key'] = readCredential(request);
      await (route.access === 'administration' ? this.adminKey : this.apiKey).canActivate(context);
      this.enter(request.user!, response, route.survivesRevocation);
    } catch (error) {
      await this.failures.countAndRefuse(error, request.ip ?? '', response);
      throw error;
    }
    return true;
  }

  private enter(actor: Caller, response: Response, survivesRevocation: boolean): void {
    const request = currentRequest()!;
    // Of a client that has left, no 'close' would come any more to leave the list again.
    request.abort.signal.throwIfAborted();
    request.actor = actor;
    if (actor.keyId === null) return;

    const stop = survivesRevocation ? () => undefined : () => request.abort.abort(authErrors.keyRevoked());
    response.once('close', this.running.enter(actor.keyId, stop));
    // Entered first, asked second: a revocation between the key's read and here is seen by one of the two.
    if (this.running.isRevoked(actor.keyId)) throw authErrors.keyInvalid();
  }
}
