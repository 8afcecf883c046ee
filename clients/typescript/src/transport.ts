import createClient, { type Client } from 'openapi-fetch';
import { SlipwayError } from './errors.js';
import { sendWithRetries } from './retrying.js';
import type { paths } from './schema.js';
import { refuseStranger } from './stranger.js';
import { TimeLimit } from './time-limit.js';

/** Every call takes these options. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. */
  signal?: AbortSignal;
  /** The time for the whole call with its repeats; of a stream, for its beginning. */
  timeoutMs?: number;
  /** How often the request is sent again at most. */
  retries?: number;
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
  fetch: typeof fetch;
}

interface Manner {
  /** Whether a repeat has no further effect. Unless given, the method and the idempotency key decide. */
  isRepeatable?: boolean;
  /** Whether the answer is read as it arrives. */
  isStream?: boolean;
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

  /** Returns what a call's options mean to the request. */
  with(options: CallOptions = {}, manner: Manner = {}): { fetch: Send } {
    return { fetch: (request) => this.send(request, options, manner) };
  }

  private async send(request: Request, options: CallOptions, manner: Manner): Promise<Response> {
    const { retries = this.settings.retries } = options;
    const { fetch, key, keyName } = this.settings;
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
      return response;
    } finally {
      limit.stop();
    }
  }
}

/** Returns the header that makes repeats of a request harmless. */
export function once({ idempotencyKey = crypto.randomUUID() }: OnceOptions = {}): { 'Idempotency-Key': string } {
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
