import type { ErrorCode } from './schema.js';

export type { ErrorCode };

/** The codes of the client itself, and of a service of another version, beside those of the document. */
export type ClientCode =
  | 'ADDRESS_MALFORMED'
  | 'ANSWER_CUT_OFF'
  | 'ANSWER_NOT_OF_SLIPWAY'
  | 'CALLBACK_NOT_GENUINE'
  | 'FILE_NAME_MISSING'
  | 'FILE_NOT_READABLE'
  | 'IDEMPOTENCY_KEY_MALFORMED'
  | 'KEY_MALFORMED'
  | 'KEY_MISSING'
  | 'METHOD_NOT_ALLOWED'
  | 'NO_ANSWER'
  | 'ROUTE_NOT_FOUND'
  | 'SECRET_MALFORMED'
  | 'TIMED_OUT'
  | 'UPLOAD_OF_ANOTHER_FILE';

/** Everything that the client throws, except for the reason of your own abort signal. */
export class SlipwayError extends Error {
  override readonly name: string = 'SlipwayError';

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Returns whether the error has one of these codes. The compiler knows all of them. */
  is(...codes: (ErrorCode | ClientCode)[]): boolean {
    return (codes as string[]).includes(this.code);
  }
}

interface RefusalFacts {
  status: number;
  code: string;
  message: string;
  details: Record<string, unknown>;
  requestId: string | null;
  retryAfterMs: number | undefined;
}

/** An answer of the service that is no success. */
export class Refusal extends SlipwayError {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly details: Record<string, unknown>;
  /** Names the request in the log of the service. */
  readonly requestId: string | null;
  /** The time after which the service asks for a repeat. */
  readonly retryAfterMs: number | undefined;

  private constructor({ status, code, message, details, requestId, retryAfterMs }: RefusalFacts) {
    super(code, message);
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  /** Returns the same refusal with a sentence that says more. */
  saying(message: string, details: Record<string, unknown>): Refusal {
    return new Refusal({ ...this, message, details: { ...this.details, ...details } });
  }

  static async in(response: Response): Promise<Refusal> {
    const { status, headers } = response;
    const text = await response.text();
    return new Refusal({
      status,
      ...errorIn(status, headers, text),
      requestId: headers.get('x-request-id'),
      retryAfterMs: retryAfterIn(headers),
    });
  }
}

/** The service could not be reached, or the connection was lost before its answer. */
export class NoAnswer extends SlipwayError {
  override readonly name = 'NoAnswer';

  constructor(url: string, cause: unknown) {
    super('NO_ANSWER', `${new URL(url).origin} does not answer. Check the address and whether it runs.`, { cause });
  }
}

/** The time limit of a call has passed. */
export class TimedOut extends SlipwayError {
  override readonly name = 'TimedOut';

  constructor(
    timeoutMs: number,
    message = `There was no answer within ${timeoutMs} ms. A call takes another limit as timeoutMs.`,
  ) {
    super('TIMED_OUT', message);
  }

  /** A stream has sent nothing, not even a heartbeat. */
  static inSilence(idleTimeoutMs: number): TimedOut {
    const message = `The stream sent nothing for ${idleTimeoutMs} ms. A call takes another limit as idleTimeoutMs.`;
    return new TimedOut(idleTimeoutMs, message);
  }
}

/** Says that a stream ended before its last event. */
export function cutOff(what: string, cause?: unknown): SlipwayError {
  return new SlipwayError('ANSWER_CUT_OFF', `The stream of ${what} ended before its last event.`, { cause });
}

/** Reads an error in any form that a version of the service, or a proxy in front of it, may give it. */
function errorIn(status: number, headers: Headers, text: string): Pick<RefusalFacts, 'code' | 'message' | 'details'> {
  const body = parsed(text) as { message?: unknown; error?: { code?: unknown; message?: unknown; details?: unknown } };
  const error = body.error ?? {};
  // The hooks of contact centres have their code in a header. A proxy answers in its own words.
  const code = [headers.get('x-error-code'), error.code].find(isText) ?? `HTTP_${status}`;
  const message = [error.message, body.message, text.slice(0, 500)].find(isText) ?? `HTTP ${status}`;
  const isObject = typeof error.details === 'object' && error.details !== null;
  return { code, message, details: isObject ? (error.details as Record<string, unknown>) : {} };
}

function isText(given: unknown): given is string {
  return typeof given === 'string' && given !== '';
}

function parsed(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function retryAfterIn(headers: Headers): number | undefined {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = Number(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
