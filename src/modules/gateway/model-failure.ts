import { APICallError } from 'ai';
import { clock } from '../../kernel/clock.js';
import type { SlipwayError } from '../../kernel/errors.js';
import { OutboundFault, type OutboundFaultKind } from '../../platform/outbound/outbound.errors.js';
import { secondsAsked } from '../../platform/outbound/retry-after.js';
import { gatewayErrors } from './gateway.errors.js';
import { RequestNotTaken } from './gateway.port.js';

/** Stands in the ledger where the provider gave no status. */
const NO_STATUS = 500;
/** Of a provider whose answer has begun: what is wrong with it comes after its status. */
export const ANSWERED = 200;
export const CLIENT_LEFT = 499;

/** OpenAI's clients send a 502 again unless told so; what was refused would be refused again. */
const NOT_AGAIN = { 'x-should-retry': 'false' };

interface Circumstances {
  providerStatus?: number;
  isTransient?: boolean;
  retryAfterSeconds?: number | undefined;
  isTaken?: boolean;
  cause?: unknown;
}

/** Why a call came to nothing. Nothing that the provider wrote is in it: that could be anything. */
export class ModelFailure extends Error {
  readonly providerStatus: number;
  /** Whether the same call may succeed a moment later. */
  readonly isTransient: boolean;
  readonly retryAfterSeconds: number | undefined;
  /** False where the model cannot take what is asked: nothing is to be learnt of its provider from that. */
  readonly isTaken: boolean;

  constructor(
    /** What the provider did, as the middle of a sentence. */
    readonly reason: string,
    { providerStatus = NO_STATUS, isTransient = false, retryAfterSeconds, isTaken = true, cause }: Circumstances = {},
  ) {
    super(reason, { cause });
    this.providerStatus = providerStatus;
    this.isTransient = isTransient;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isTaken = isTaken;
  }

  /** Whether the provider refused this request, which says nothing of others. */
  get isOfRequest(): boolean {
    return this.providerStatus >= 300 && this.providerStatus < 500;
  }

  toRefusal(): SlipwayError {
    const { reason, providerStatus, retryAfterSeconds } = this;
    if (!this.isTaken) return notTaken(reason);
    if (providerStatus === 429 || (this.isTransient && retryAfterSeconds)) {
      const retryAfter = retryAfterSeconds && { retryAfter: retryAfterSeconds };
      return gatewayErrors.modelUnavailable({ reason }, { details: { reason, providerStatus }, ...retryAfter });
    }
    const headers = this.isOfRequest ? NOT_AGAIN : {};
    return gatewayErrors.modelCallFailed(
      { reason },
      { details: { reason, providerStatus }, headers, cause: this.cause },
    );
  }
}

/** What a model cannot do, as the middle of a sentence. */
export function notTaken(reason: string): SlipwayError {
  return gatewayErrors.requestNotTaken({ reason }, { details: { reason } });
}

const OUTBOUND_REASONS: Record<OutboundFaultKind, string> = {
  address: 'has an address that leads into a network closed to requests',
  unreachable: 'could not be reached, or ended the connection',
  timeout: 'did not answer in time',
  tooLarge: 'answered with more than is read',
};

export const NO_ANSWER = 'answered with something that is no answer of a model';

/** Why a call failed; the status is that of the provider, as far as an error does not tell another one. */
export function failureOf(error: unknown, status = NO_STATUS): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const refusal = causeOf(error, (at) => at instanceof RequestNotTaken);
  if (refusal) return new ModelFailure(refusal.reason, { isTaken: false });
  const call = causeOf(error, (at) => APICallError.isInstance(at));
  const providerStatus = call?.statusCode ?? status;
  const fault = causeOf(error, (at) => at instanceof OutboundFault);
  if (fault) {
    const isTransient = fault.kind === 'unreachable';
    return new ModelFailure(OUTBOUND_REASONS[fault.kind], { providerStatus, isTransient, cause: fault });
  }
  if (causeOf(error, isTimeout)) return new ModelFailure(OUTBOUND_REASONS.timeout, { providerStatus });
  const cause = placeOf(error);
  if (call?.statusCode === undefined || call.statusCode < 300)
    return new ModelFailure(NO_ANSWER, { providerStatus, cause });
  return failureOfStatus(call.statusCode, call.responseHeaders?.['retry-after'], cause);
}

function failureOfStatus(providerStatus: number, retryAfter: string | undefined, cause: unknown): ModelFailure {
  const isTransient = providerStatus === 429 || providerStatus >= 500;
  const retryAfterSeconds = Math.ceil(secondsAsked(retryAfter, clock.now()) ?? 0) || undefined;
  return new ModelFailure(reasonOf(providerStatus), { providerStatus, isTransient, retryAfterSeconds, cause });
}

/**
 * Where it failed, for the log. What such an error says, and has as its members, are the request and the answer: what
 * people wrote, and at times the key.
 */
function placeOf(error: unknown): Error {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error();
  const place = new Error(`The call of a model failed with ${name}`);
  const said = stack.indexOf(message);
  if (said >= 0) place.stack = `${place.message}${stack.slice(said + message.length)}`;
  return place;
}

function reasonOf(status: number): string {
  if (status < 400) return 'sent the call elsewhere (a redirect), which is not followed';
  if (status === 401 || status === 403) return 'refused the key';
  if (status === 404) return 'does not know the model or the address';
  if (status === 413) return 'refused the request for its size';
  if (status === 429) return 'takes no more requests for now';
  return status < 500 ? 'refused the request' : 'failed';
}

function isTimeout(error: unknown): error is DOMException {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function causeOf<Wanted extends Error>(error: unknown, isWanted: (at: unknown) => at is Wanted): Wanted | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isWanted(at)) return at;
  return undefined;
}
