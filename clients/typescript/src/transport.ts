import createClient, { type Client } from 'openapi-fetch';
import { Refusal, SlipwayError } from './errors.js';
import { sendWithRetries } from './retrying.js';
import type { paths } from './schema.js';
import { limitSilence } from './silence.js';
import { refuseStranger } from './stranger.js';
import { TimeLimit } from './time-limit.js';
import { explained, isOfAnotherVersion } from './versions.js';

/** Every call takes these options. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal;
  /** The time for the whole call with its repeats; of a stream, for its beginning. */
  timeoutMs?: number;
  /** How often the request is sent again at most. */
  retries?: number;
  /** How long a stream may send nothing while its reader waits. */
  idleTimeoutMs?: number;
}

/** Calls that create or start something take these options. */
export interface OnceOptions extends CallOptions {
  /** Requests with the same key have one effect. Unless given, each call has its own. */
  idempotencyKey?: string;
}

export interface TransportSettings {
  url: string;
  key: string | undefined;
  /** The option of the client that has the key. */
  keyName: 'apiKey' | 'adminKey';
  timeoutMs: number;
  retries: number;
  /** Each kind of stream has a limit of its own, unless this is given. */
  idleTimeoutMs: number | undefined;
  fetch: typeof fetch;
}

/**
 * Streams without heartbeats are silent while a model thinks. The service lets a call of a model take five minutes, so
 * this is a little more.
 */
const IDLE_TIMEOUT_MS = 330_000;

interface Manner {
  /** Whether a repeat has no further effect. Unless given, the method and the idempotency key decide. */
  isRepeatable?: boolean;
  /** Whether the answer is read as it arrives. */
  isStream?: boolean;
  /** The usual limit for the silence of such a stream. */
  idleTimeoutMs?: number;
  /** Whether the caller is known by something other than the client's key. */
  isWithoutKey?: boolean;
}

type Send = (request: Request) => Promise<Response>;

/** The second type chooses the JSON answer of routes that can also stream. */
export type Api = Client<paths, 'application/json'>;

/** Sends requests with one key, and repeats them where that is safe. Every refusal is thrown. */
export class Transport {
  readonly api: Api;

  constructor(private readonly settings: TransportSettings) {
    const { url, key } = settings;
    this.api = createClient<paths, 'application/json'>({
      baseUrl: url,
      headers: key === undefined ? {} : { 'x-api-key': key },
    });
  }

  /** The time for which the service may be away, unless the caller names another one. */
  get timeoutMs(): number {
    return this.settings.timeoutMs;
  }

  /** Returns what a call's options mean to the request. */
  with(options: CallOptions = {}, manner: Manner = {}): { fetch: Send } {
    return { fetch: (request) => this.send(request, options, manner) };
  }

  private async send(request: Request, options: CallOptions, manner: Manner): Promise<Response> {
    const { retries = this.settings.retries } = options;
    const { url, fetch, key, keyName } = this.settings;
    if (key === undefined && !manner.isWithoutKey) {
      throw new SlipwayError('KEY_MISSING', `This call needs the option ${keyName} of the client.`);
    }
    const limit = new TimeLimit(options.timeoutMs ?? this.settings.timeoutMs, options.signal);
    try {
      limit.throwIfOver();
      const response = await sendWithRetries({
        url: request.url,
        limit,
        retries,
        isRepeatable: manner.isRepeatable ?? isRepeatable(request),
        async send(signal) {
          const response = await fetch(request.clone(), { signal });
          return manner.isStream ? response : wholeOf(response);
        },
      });
      await refuseStranger(request.url, response, manner.isStream === true);
      return manner.isStream ? limitSilence(response, this.idleLimitOf(options, manner)) : response;
    } catch (error) {
      if (!(error instanceof Refusal && isOfAnotherVersion(error))) throw error;
      throw await explained(error, request, url, fetch);
    } finally {
      limit.stop();
    }
  }

  private idleLimitOf(options: CallOptions, { idleTimeoutMs = IDLE_TIMEOUT_MS }: Manner): number {
    return options.idleTimeoutMs ?? this.settings.idleTimeoutMs ?? idleTimeoutMs;
  }
}

/** The longest key that the service takes. */
const LONGEST_KEY = 255;

/** Returns the header that makes repeats of a request harmless. */
export function once({ idempotencyKey = crypto.randomUUID() }: OnceOptions = {}): { 'Idempotency-Key': string } {
  // A program in JavaScript may give anything.
  if (!(/^[!-~]+$/.test(String(idempotencyKey)) && idempotencyKey.length <= LONGEST_KEY)) {
    const message = `An idempotency key has 1 to ${LONGEST_KEY} visible ASCII characters, such as a UUID.`;
    throw new SlipwayError('IDEMPOTENCY_KEY_MALFORMED', `${message} Nothing was sent.`);
  }
  return { 'Idempotency-Key': idempotencyKey };
}

/** Returns the body of an answer. Refusals were thrown before. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  return (await answer).data!;
}

/** Returns the member `data` of an answer of the administration. */
export async function dataOf<Data>(answer: Promise<{ data?: { data: Data } }>): Promise<Data> {
  return (await answer).data!.data;
}

/** A DELETE is not repeated, because its repeat would be answered that there is no such thing. */
function isRepeatable({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'PUT' || headers.has('idempotency-key');
}

/** Reads the body, so that a connection that is lost in the middle of it counts as lost. */
async function wholeOf(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}
