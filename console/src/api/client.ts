import createClient, { type ClientOptions, type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../schema.js';
import { filled } from './path.js';
import { presentSignal } from './present-signal.js';
import { fetchWhole, giveKey, noteOutcome } from './repeats.js';

export type Schemas = components['schemas'];

/** A fault of one member of a request. */
export interface Issue {
  path: string;
  message: string;
}

/** Refusals with these statuses pass by themselves: the service or a proxy was too busy, or asked too often. */
export const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** A refusal of the API, or no answer at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Names the request in the log of the service. */
    readonly requestId: string | null,
    readonly details: Readonly<Record<string, unknown>> = {},
    /**
     * Whether the service did not answer, and the page sends the request again by itself. It does so for what it shows, and
     * not for a button.
     */
    readonly isRepeated = false,
  ) {
    super(message);
  }

  get issues(): readonly Issue[] {
    return (this.details.issues as Issue[] | undefined) ?? [];
  }

  /** The code of what another server did, such as MCP_TIMED_OUT. */
  get reason(): string | null {
    return typeof this.details.reason === 'string' ? this.details.reason : null;
  }

  /** Whether it is not known what became of the request, or of the earlier one that it repeats. */
  get isOpen(): boolean {
    const { status, code } = this;
    return status === 0 || status >= 500 || status === 401 || PASSING.has(status) || code === 'IDEMPOTENCY_IN_PROGRESS';
  }
}

/** The header with the token of the session. */
const TOKEN_HEADER = 'x-slipway-console';
/** The header with the app in whose name a request is sent. */
const APP_HEADER = 'x-slipway-app';

/** Belongs to the cookie of the session. It is only kept in memory. */
let token: string | null = null;
let whenSignedOut = (): void => undefined;
/** The requests of queries. A query asks again when it has failed. */
const repeated = new WeakSet<Request>();

export function setToken(next: string | null): void {
  token = next;
}

/** Whether requests of pages can be answered. */
export function isSignedIn(): boolean {
  return token !== null;
}

/** Is called when the service answers that the session has ended. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

const throwRefusals: Middleware = {
  async onRequest({ request: given, options: { parseAs } }) {
    const signal = presentSignal();
    const request = signal ? new Request(given, { signal }) : given;
    if (signal) repeated.add(request);
    if (token !== null) request.headers.set(TOKEN_HEADER, token);
    // The routes of streams take no key.
    if (parseAs !== 'stream') await giveKey(request, request.headers.get(APP_HEADER));
    return request;
  },
  async onResponse({ request, response }) {
    noteOutcome(request, !response.ok);
    if (response.ok) return;
    const refusal = await refusalOf(response, request);
    const isStored = response.headers.has('idempotency-replayed');
    noteOutcome(request, refusal.isOpen && !isStored);
    throw refusal;
  },
  onError({ request }) {
    noteOutcome(request, true);
    const sentence = `The service does not answer. ${nextStep(request)}`;
    return new ApiError(0, 'NO_ANSWER', sentence, null, {}, repeated.has(request));
  },
};

function nextStep(request: Request): string {
  return repeated.has(request) ? 'The page tries again by itself.' : 'Try again.';
}

/** Returns the error of a refusal. If it says that the session has ended, the listener is called. */
async function refusalOf(response: Response, request: Request): Promise<ApiError> {
  const error = await refusalIn(response, request);
  const { headers: sent } = request;
  // A request that was sent before the browser signed in again says nothing about the present session.
  const isPresent = token !== null && sent.get(TOKEN_HEADER) === token;
  const isLimited = response.status === 429;
  if (!isPresent || (response.status !== 401 && !isLimited)) return error;
  // An address from which too many keys were refused gets 429 in place of 401. A 401 for an app may mean the app.
  const saysNothing = isLimited || sent.has(APP_HEADER);
  if (saysNothing && !(await hasSessionEnded())) {
    if (isLimited) return error;
    return new ApiError(404, 'APP_NOT_FOUND', 'There is no such app.', error.requestId);
  }
  whenSignedOut();
  return new ApiError(401, error.code, 'Your session has ended. Sign in, and try again.', error.requestId);
}

/** Without an answer, the session is taken to go on. */
async function hasSessionEnded(): Promise<boolean> {
  try {
    const answer = await fetch('/api/admin/v1/console-sessions/current');
    return answer.ok && ((await answer.json()) as { data: object | null }).data === null;
  } catch {
    return false;
  }
}

/** A refusal that the service did not write comes from a proxy before it, which answers in a form of its own. */
async function refusalIn(response: Response, request: Request): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id');
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: Schemas['Error']['error'] };
    return new ApiError(response.status, error.code, error.message, requestId, error.details);
  } catch {
    const { status } = response;
    const why = `A proxy answered with the status ${status} in place of the service.`;
    const code = `HTTP_${status}`;
    if (status < 500) return new ApiError(status, code, why, requestId);
    return new ApiError(status, code, `${why} ${nextStep(request)}`, requestId, {}, repeated.has(request));
  }
}

/** Refuses the ids `.` and `..`, with which the browser would ask another route. */
function sendable(path: string): string {
  const id = path.split('/').find((part) => part === '.' || part === '..');
  if (id !== undefined) throw new ApiError(404, 'NOT_FOUND', `There is nothing with the id “${id}”.`, null);
  return path;
}

const OPTIONS: ClientOptions = {
  fetch: fetchWhole,
  baseUrl: location.origin,
  pathSerializer: (path, values) => sendable(filled(path as keyof paths, values as Record<string, string>)),
};

/** The administration routes. Every refusal is thrown as an `ApiError`. */
export const api = createClient<paths>(OPTIONS);
api.use(throwRefusals);

/** The routes that take an API key, in the name of an app. */
export function apiOf(appId: string) {
  const client = createClient<paths>({ ...OPTIONS, headers: { [APP_HEADER]: appId } });
  client.use(throwRefusals);
  return client;
}

/** Returns the options that send a form with files. The description of the API writes files as texts. */
export function multipart<Body extends object>(parts: { [Name in keyof Body]: string | File }) {
  const form = new FormData();
  for (const [name, value] of Object.entries<string | File>(parts)) form.set(name, value);
  return { body: parts as Body, bodySerializer: () => form };
}

/** Returns the body of an answer. Refusals were thrown before. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  return (await answer).data!;
}

/** Returns the member `data` of an answer of the administration. */
export async function dataOf<Data>(answer: Promise<{ data?: { data: Data } }>): Promise<Data> {
  return (await answer).data!.data;
}

/** A page of a list, whichever form the route has. */
export interface ListPage<Row> {
  rows: readonly Row[];
  /** Where the next page begins. */
  next: string | null;
  /** The number of rows of all pages, if the route counts them. */
  total?: number;
}

/** Reads a page of the administration, whose cursor is part of `meta`. */
export async function pageOf<Row>(
  answer: Promise<{ data?: { data: Row[]; meta: { nextCursor: string | null } } }>,
): Promise<ListPage<Row>> {
  const { data, meta } = (await answer).data!;
  return { rows: data, next: meta.nextCursor };
}
