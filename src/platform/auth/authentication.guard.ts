import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Caller, credentialsOf } from '../../kernel/actor.js';
import type { SlipwayError } from '../../kernel/errors.js';
import { Shares } from '../../kernel/shares.js';
import { currentRequest } from '../context/request-context.js';
import { FailedAuthentications } from '../rate-limit/failed-authentications.js';
import { httpErrors } from '../route/http.errors.js';
import type { RouteDescription } from '../route/route-description.js';
import { routeOf } from '../route/route.js';
import { AdminIdentities } from './admin-identities.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { authErrors, KINDS_OF_KEYS } from './auth.errors.js';
import { ConsoleCaller } from './console-caller.js';
import { credentialOf, sentKey } from './credential.js';
import { JwtClientStrategy } from './jwt-client.strategy.js';
import { RunningRequests } from './running-requests.js';

/** The number of callers that may be checked at the same time. While the database is away, they all wait for it. */
const MAX_PENDING = 512;

/**
 * The first guard finds out who calls. Passport checks API keys and tokens, and identities know administrators;
 * this class decides which kind the route takes.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  /** The callers that are being checked, by their credentials: one credential leaves room for the next one. */
  private readonly pending = new Shares(MAX_PENDING);

  constructor(
    private readonly apiKeys: ApiKeyStrategy,
    private readonly administrators: AdminIdentities,
    private readonly jwtClients: JwtClientStrategy,
    private readonly console: ConsoleCaller,
    private readonly running: RunningRequests,
    private readonly failures: FailedAuthentications,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeOf(context);
    if (route.access === 'public') return true;

    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const credential = credentialOf(request);
    if (!this.pending.hasRoomFor(credential)) throw httpErrors.overloaded();
    this.pending.take(credential);
    try {
      currentRequest()!.keyReadAt = performance.now();
      this.enter(await this.callerOf(request, route), response, route.survivesRevocation);
    } catch (error) {
      await this.failures.countAndRefuse(error, request.ip ?? '', response);
      throw error;
    } finally {
      this.pending.release(credential);
    }
    return true;
  }

  private async callerOf(request: Request, { access, acceptsBearer }: RouteDescription): Promise<Caller> {
    if (access === 'jwtClient') return authenticate(this.jwtClients, request, authErrors.tokenInvalid);
    if (!hasKey(request, acceptsBearer) && this.console.isAskedBy(request)) {
      const ofConsole = await this.console.of(request, access);
      // A page whose session has ended must not go on as a person whom a proxy names.
      if (!ofConsole) throw authErrors.keyMissing();
      return ofConsole;
    }
    if (access === 'administration') return this.administratorOf(request);
    const invalid = () => authErrors.keyInvalid(KINDS_OF_KEYS.project);
    const { headers } = request;
    const key = sentKey([headers['x-api-key'], headers.apikey, acceptsBearer ? bearerIn(request) : undefined], invalid);
    if (key === null) throw authErrors.keyMissing();
    headers['x-api-key'] = key;
    return authenticate(this.apiKeys, request, invalid);
  }

  private async administratorOf(request: Request): Promise<Caller> {
    const administrator = await this.administrators.ofRequest(request);
    if (!administrator) throw authErrors.keyMissing();
    return administrator;
  }

  private enter(actor: Caller, response: Response, survivesRevocation: boolean): void {
    const request = currentRequest()!;
    // A client that has left emits no further 'close' event, which would remove its entry.
    request.throwIfAborted();
    request.actor = actor;

    const stop = survivesRevocation ? () => undefined : () => request.abort(authErrors.keyRevoked());
    for (const credential of credentialsOf(actor)) {
      response.once('close', this.running.enter(credential, stop));
      // The request is entered before this check, so a revocation after the key was read is seen by the entry or by the
      // check.
      if (this.running.isRevoked(credential)) {
        throw authErrors.keyInvalid(actor.kind === 'admin' ? KINDS_OF_KEYS.administration : KINDS_OF_KEYS.project);
      }
    }
  }
}

/**
 * Whether the request has a key, valid or not. Other credentials are for a proxy before the service, or are added by it:
 * those of another scheme, and bearer tokens on routes that take no key as one.
 */
function hasKey({ headers }: Request, acceptsBearer: boolean): boolean {
  const isBearer = acceptsBearer && /^Bearer\b/i.test(headers.authorization ?? '');
  return isBearer || headers['x-api-key'] !== undefined || headers.apikey !== undefined;
}

function bearerIn({ headers }: Request): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1];
}

type Strategy = ApiKeyStrategy | JwtClientStrategy;

/**
 * Does what passport does with a strategy. Each attempt has an object of its own, because a strategy reports its
 * outcome by calling methods of itself.
 */
function authenticate(strategy: Strategy, request: Request, refusal: () => SlipwayError): Promise<Caller> {
  return new Promise((resolve, reject) => {
    const outcome = {
      success: resolve,
      fail: () => reject(refusal()),
      error: reject,
    };
    Object.assign(Object.create(strategy) as Strategy, outcome).authenticate(request);
  });
}
