import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { z } from 'zod';
import { repeaterId, type Caller } from '../../kernel/actor.js';
import { findError, SlipwayError } from '../../kernel/errors.js';
import { Digests } from '../auth/digests.js';
import { currentRequest } from '../context/request-context.js';
import { Database } from '../database/database.js';
import { fromDatabaseFault } from '../database/database.errors.js';
import type { RouteDescription } from '../route/route-description.js';
import { withoutShownOnce } from '../route/shown-once.js';
import { Log } from '../telemetry/log.js';
import { idempotencyErrors } from './idempotency.errors.js';
import type { Claim } from './idempotency-key.repository.js';
import { StoredAnswers } from './stored-answers.js';

const USABLE = /^[\x21-\x7e]{1,255}$/;

interface CheckedKey {
  value: string | undefined;
  issues: { path: string[]; message: string }[];
}

export const NO_KEY: CheckedKey = { value: undefined, issues: [] };

/** The stored outcome of a request: its result or its refusal. */
type StoredOutcome =
  { result: unknown } | { refusal: { code: string; message: string; extras: SlipwayError['extras'] } };

/** Makes a request with an `Idempotency-Key` happen once, however often it is sent. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly answers: StoredAnswers,
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
    const request = context.switchToHttp().getRequest<Request>();
    const { outcome } = await this.answerOf(key, caller, route, request, handle);
    return outcome;
  }

  /**
   * Begins work whose answer follows outside the transaction. The key then stores what was begun, and a repeated
   * request gets that instead of beginning again. A request without a key always begins.
   */
  async begin<Begun>(
    caller: Caller,
    request: Request,
    begin: () => Promise<Begun>,
  ): Promise<{ begun: Begun; hasKey: boolean; isRepeat: boolean }> {
    const { value: key } = checkIdempotencyKey(request.headers['idempotency-key']);
    if (key === undefined) return { begun: await begin(), hasKey: false, isRepeat: false };
    const { outcome, isRepeat } = await this.answerOf(key, caller, currentRequest()!.route!, request, begin);
    return { begun: outcome as Begun, hasKey: true, isRepeat };
  }

  private async answerOf(
    key: string,
    caller: Caller,
    route: Pick<RouteDescription, 'path'> & Partial<Pick<RouteDescription, 'returns'>>,
    request: Request,
    handle: () => Promise<unknown>,
  ): Promise<{ outcome: unknown; isRepeat: boolean }> {
    const id = this.digests.of(JSON.stringify(['idempotency', repeaterId(caller), route.path, key]));
    const fingerprint = this.digests.of(JSON.stringify(['request', request.originalUrl, request.body]));
    const claim = await this.answers.claim(id, fingerprint);
    if (claim) return { outcome: await this.act(claim, caller, route.returns?.result, handle), isRepeat: false };

    const kept = (await this.answers.read(id, fingerprint)) as StoredOutcome;
    request.res!.setHeader('idempotency-replayed', 'true');
    if ('result' in kept) return { outcome: kept.result, isRepeat: true };
    const { code, message, extras } = kept.refusal;
    throw new SlipwayError(findError(code), message, extras);
  }

  /** Commits the effect and its answer together, so that after a crash there are both or neither. */
  private async act(claim: Claim, caller: Caller, shown: z.ZodType | undefined, handle: () => Promise<unknown>) {
    try {
      return await this.database.transaction(caller, async (tx) => {
        const result = await handle();
        await tx.em.flush();
        await this.answers.keep(tx, claim, { result: shown ? withoutShownOnce(shown, result) : result });
        return result;
      });
    } catch (error) {
      const isOvertaken = await this.settle(claim, error);
      throw isOvertaken ? idempotencyErrors.inProgress() : error;
    }
  }

  /**
   * Stores a refusal as the answer. A failure of the service, or a missing authority (401), releases the key as if the
   * request had not been sent. Answers whether a repeat had claimed the key: the refusal may then be due to what the
   * repeat has done.
   */
  private async settle(claim: Claim, thrown: unknown): Promise<boolean> {
    const error = thrown instanceof SlipwayError ? thrown : fromDatabaseFault(thrown);
    const isAnswer = error !== undefined && error.spec.status < 500 && error.spec.status !== 401;
    try {
      if (isAnswer) return !(await this.answers.keepAlone(claim, { refusal: toStored(error) }));
      await this.answers.release(claim);
    } catch (fault) {
      this.log.warn({ err: fault }, 'An Idempotency-Key stays reserved until its lease ends');
    }
    return false;
  }
}

function toStored({ spec, message, extras: { details, required, retryAfter } }: SlipwayError) {
  return { code: spec.code, message, extras: { details, required, retryAfter } };
}

export function checkIdempotencyKey(given: IncomingHttpHeaders[string]): CheckedKey {
  if (given === undefined) return NO_KEY;
  const value = String(given);
  if (USABLE.test(value)) return { value, issues: [] };
  const message = 'is not a valid key: send 1 to 255 visible ASCII characters, such as a UUID';
  return { value: undefined, issues: [{ path: ['idempotency-key'], message }] };
}
