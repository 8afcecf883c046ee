import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { actorId, type Caller } from '../../kernel/actor.js';
import { findError, SlipwayError } from '../../kernel/errors.js';
import { Digests } from '../auth/digests.js';
import { Database } from '../database/database.js';
import { fromDatabaseFault } from '../database/database.errors.js';
import type { RouteDescription } from '../route/route-description.js';
import { withoutShownOnce } from '../route/shown-once.js';
import { Log } from '../telemetry/log.js';
import { type Claim, IdempotencyStore } from './idempotency-store.js';

/** What a request came to, as it is kept: its result, or its refusal. */
type Kept = { result: unknown } | { refusal: { code: string; message: string; extras: SlipwayError['extras'] } };

/** Makes a request with an `Idempotency-Key` happen once, however often it is sent. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly database: Database,
    private readonly digests: Digests,
    private readonly log: Log,
  ) {}

  async once(
    key: string,
    caller: Caller,
    route: RouteDescription,
    context: ExecutionContext,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const id = this.digests.of(JSON.stringify(['idempotency', actorId(caller), route.path, key]));
    const fingerprint = this.digests.of(JSON.stringify(['request', request.originalUrl, request.body]));
    const claim = await this.store.claim(id, fingerprint);
    if (claim) return this.act(claim, caller, route, handle);

    const kept = (await this.store.read(id, fingerprint)) as Kept;
    http.getResponse<Response>().setHeader('idempotency-replayed', 'true');
    if ('result' in kept) return kept.result;
    const { code, message, extras } = kept.refusal;
    throw new SlipwayError(findError(code), message, extras);
  }

  /** The effect and its answer commit together: after a crash there are both, or neither. */
  private async act(claim: Claim, caller: Caller, route: RouteDescription, handle: () => Promise<unknown>) {
    try {
      return await this.database.transaction(caller, async (em) => {
        const result = await handle();
        await em.flush();
        await this.store.keep(em, claim, { result: withoutShownOnce(route.returns.result, result) });
        return result;
      });
    } catch (error) {
      await this.settle(claim, error);
      throw error;
    }
  }

  /** A refusal is an answer too. What failed on our side, or for want of authority, is as if it had not been sent. */
  private async settle(claim: Claim, thrown: unknown): Promise<void> {
    const error = thrown instanceof SlipwayError ? thrown : fromDatabaseFault(thrown);
    const isAnswer = error !== undefined && error.spec.status < 500 && error.spec.status !== 401;
    try {
      if (isAnswer) await this.store.keepAlone(claim, { refusal: toKept(error) });
      else await this.store.release(claim);
    } catch (fault) {
      this.log.warn({ err: fault }, 'An Idempotency-Key stays taken until its lease ends');
    }
  }
}

function toKept({ spec, message, extras: { details, required, retryAfter } }: SlipwayError) {
  return { code: spec.code, message, extras: { details, required, retryAfter } };
}
