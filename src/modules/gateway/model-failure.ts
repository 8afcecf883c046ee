import { APICallError } from '@ai-sdk/provider';
import { clock } from '../../kernel/clock.js';
import type { SlipwayError } from '../../kernel/errors.js';
import { OutboundFault, type OutboundFaultKind } from '../../platform/outbound/outbound.errors.js';
import { secondsAsked } from '../../platform/outbound/retry-after.js';
import { gatewayErrors } from './gateway.errors.js';
import { UnsupportedRequest } from './gateway.port.js';

/** The status in the ledger for a provider that gave none. */
const NO_STATUS = 500;
/** The status of a provider whose answer had begun when it failed. */
export const ANSWERED = 200;
export const CLIENT_LEFT = 499;

/**
 * Clients of OpenAI repeat a request after a 502 unless this header forbids it. A refused request would be refused
 * again.
 */
const DO_NOT_RETRY = { 'x-should-retry': 'false' };

/** The refusals of a provider that every call of the model would get: of its key, its address, its name or its quota. */
const REFUSES_ALL_CALLS: readonly number[] = [401, 402, 403, 404, 405, 407, 410, 429];

/** At fault is this one request, the way in which the model is reached, or the provider, which fails. */
export type AtFault = 'request' | 'access' | 'provider';

interface Circumstances {
  providerStatus?: number | undefined;
  isTransient?: boolean;
  retryAfterSeconds?: number | undefined;
  isTaken?: boolean;
  cause?: unknown;
}

/** Why a call failed. It has no text of the provider, which could contain the prompt or a key. */
export class ModelFailure extends Error {
  /** Undefined if the provider gave none. */
  readonly providerStatus: number | undefined;
  /** Whether the same call may succeed a moment later. */
  readonly isTransient: boolean;
  readonly retryAfterSeconds: number | undefined;
  /** False if the model does not support the request. Such a failure says nothing about the provider. */
  readonly isSupported: boolean;

  constructor(
    /** Describes what the provider did, as the predicate of a sentence. */
    readonly reason: string,
    { providerStatus, isTransient = false, retryAfterSeconds, isTaken = true, cause }: Circumstances = {},
  ) {
    super(reason, { cause });
    this.providerStatus = providerStatus;
    this.isTransient = isTransient;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isSupported = isTaken;
  }

  /** Says why the call failed, also to people who did not make it. */
  get sentence(): string {
    return this.isSupported ? `The provider of the model ${this.reason}.` : `The model ${this.reason}.`;
  }

  /** The status in the ledger. */
  get statusCode(): number {
    return this.providerStatus ?? NO_STATUS;
  }

  get atFault(): AtFault {
    const { statusCode: status } = this;
    if (status < 300 || status === 408 || status >= 500) return 'provider';
    return status < 400 || REFUSES_ALL_CALLS.includes(status) ? 'access' : 'request';
  }

  toRefusal(): SlipwayError {
    const { reason, providerStatus, retryAfterSeconds } = this;
    if (!this.isSupported) return unsupported(reason);
    const details = { reason, ...(providerStatus !== undefined && { providerStatus }) };
    if (providerStatus === 429 || (this.isTransient && retryAfterSeconds)) {
      const retryAfter = retryAfterSeconds && { retryAfter: retryAfterSeconds };
      return gatewayErrors.modelUnavailable({ reason }, { details, cause: this, ...retryAfter });
    }
    const headers = this.atFault === 'provider' ? {} : DO_NOT_RETRY;
    return gatewayErrors.modelCallFailed({ reason }, { details, headers, cause: this });
  }
}

/** `reason` says what the model cannot do, as the predicate of a sentence. */
export function unsupported(reason: string): SlipwayError {
  return gatewayErrors.requestNotTaken({ reason }, { details: { reason } });
}

const OUTBOUND_REASONS: Record<OutboundFaultKind, string> = {
  address: 'has an address in a network that is closed to requests',
  unreachable: 'could not be reached, or closed the connection',
  timeout: 'did not answer in time',
  tooLarge: 'sent an answer that exceeds the size limit',
};

export const NO_ANSWER = 'sent an answer that cannot be read';

/** Classifies an error of a call. `status` applies if the error itself has no status of the provider. */
export function failureOf(error: unknown, status?: number): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const unsupportedRequest = causeOf(error, (at) => at instanceof UnsupportedRequest);
  if (unsupportedRequest) return new ModelFailure(unsupportedRequest.reason, { isTaken: false });
  const call = causeOf(error, (at) => APICallError.isInstance(at));
  const providerStatus = call?.statusCode ?? status;
  const fault = causeOf(error, (at) => at instanceof OutboundFault);
  if (fault) {
    const isTransient = fault.kind === 'unreachable';
    return new ModelFailure(OUTBOUND_REASONS[fault.kind], { providerStatus, isTransient, cause: fault });
  }
  if (causeOf(error, isTimeout)) return new ModelFailure(OUTBOUND_REASONS.timeout, { providerStatus });
  const cause = withoutContents(error);
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
 * Returns an error for the log with the name and the stack of the original, but without its message and members. Those
 * contain the request and the answer, which are texts of users and sometimes the key.
 */
function withoutContents(error: unknown): Error {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error();
  const bare = new Error(`The call of a model failed with ${name}`);
  const messageStart = stack.indexOf(message);
  if (messageStart >= 0) bare.stack = `${bare.message}${stack.slice(messageStart + message.length)}`;
  return bare;
}

function reasonOf(status: number): string {
  if (status < 400) return 'answered with a redirect, which is not followed';
  if (status === 401 || status === 403) return 'refused the key';
  if (status === 404) return 'does not know the model or the address';
  if (status === 408) return OUTBOUND_REASONS.timeout;
  if (status === 413) return 'refused the request because of its size';
  if (status === 429) return 'does not accept more requests at the moment';
  return status < 500 ? 'refused the request' : 'failed';
}

function isTimeout(error: unknown): error is DOMException {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function causeOf<Wanted extends Error>(error: unknown, isWanted: (at: unknown) => at is Wanted): Wanted | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isWanted(at)) return at;
  return undefined;
}
