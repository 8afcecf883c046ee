import type { operations } from './schema.js';
import { Place, type EnvironmentName } from './place.js';
import { Runs } from './resources/runs.js';
import { Sessions } from './resources/sessions.js';
import { bodyOf, Transport, type CallOptions } from './transport.js';

type KeyOfMe = operations['Me_read']['responses']['200']['content']['application/json'];

export interface SlipwayOptions {
  /** The address of the service, such as `https://slipway.example.com`. */
  url: string;
  /** A key of a project (`sw_…`). */
  apiKey?: string;
  /** An administration key, which the members for administrators need. */
  adminKey?: string;
  /** The app and the project of calls; those of the API key, unless given. */
  appId?: string;
  projectId?: string;
  /** `production`, unless given. */
  environment?: EnvironmentName;
  /** The time limit of a call with all its repeats: two minutes, unless given. */
  timeoutMs?: number;
  /** How often a request is sent again at most: four times, unless given. */
  retries?: number;
  /** Sends requests in place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** The client of a Slipway service. */
export class Slipway {
  readonly sessions: Sessions;
  readonly runs: Runs;
  private readonly http: Transport;

  constructor({ url, apiKey, timeoutMs = 120_000, retries = 4, ...options }: SlipwayOptions) {
    const { fetch = globalThis.fetch.bind(globalThis), ...named } = options;
    const settings = { url: originOf(url), timeoutMs, retries, fetch };
    this.http = new Transport({ ...settings, key: apiKey });
    const place = new Place(this.http, named);
    this.sessions = new Sessions(this.http, place);
    this.runs = new Runs(this.http, place);
  }

  /** Returns what the service knows of the client's API key. */
  me(options?: CallOptions): Promise<KeyOfMe> {
    return bodyOf(this.http.api.GET('/api/public/me', this.http.with(options)));
  }
}

function originOf(url: string): string {
  if (!URL.canParse(url))
    throw new TypeError(`"${url}" is not an address. Give one such as https://slipway.example.com.`);
  return url.replace(/\/+$/, '');
}
