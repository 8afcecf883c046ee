import type { Middleware } from 'openapi-fetch';

const HEADER = 'idempotency-key';
const JSON_TYPE = 'application/json';
/** The bytes of a key that no other request has. */
const KEY_BYTES = 16;
/** A later request with the same content is meant as another one. */
const REPEATED_WITHIN_MS = 120_000;

/** The keys of the requests whose answers were lost, by what was sent, with the time of the loss. */
const lost = new Map<string, { key: string; at: number }>();
const contents = new WeakMap<Request, string>();

/**
 * Gives each POST a key, and the same one to its repeat if the answer was lost on the way. A user who sends a form again
 * makes nothing twice.
 */
export const repeatSafely: Middleware = {
  async onRequest({ request, options: { parseAs } }) {
    const isText = (request.headers.get('content-type') ?? JSON_TYPE) === JSON_TYPE;
    // The routes of streams take no key.
    if (request.method !== 'POST' || !isText || parseAs === 'stream') return;
    const content = [request.url, request.headers.get('x-slipway-app'), await request.clone().text()].join('\n');
    forgetOld();
    request.headers.set(HEADER, lost.get(content)?.key ?? newKey());
    contents.set(request, content);
  },
  onResponse({ request, response }) {
    note(request, isUnanswered(response));
  },
  onError({ request }) {
    note(request, true);
  },
};

function note(request: Request, isLost: boolean): void {
  const content = contents.get(request);
  if (content === undefined) return;
  if (isLost) lost.set(content, { key: request.headers.get(HEADER)!, at: Date.now() });
  else lost.delete(content);
}

/** Whether it is still open what became of the request. A 409 that may be repeated says that the first one still runs. */
function isUnanswered({ status, headers }: Response): boolean {
  const isRunning = status === 409 && headers.has('retry-after');
  return status >= 500 || status === 401 || status === 429 || isRunning;
}

function forgetOld(): void {
  const limit = Date.now() - REPEATED_WITHIN_MS;
  for (const [content, { at }] of lost) if (at < limit) lost.delete(content);
}

/** `crypto.randomUUID` is missing in pages that came over HTTP from another machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
