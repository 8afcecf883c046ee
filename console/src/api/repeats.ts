import type { Middleware } from 'openapi-fetch';

const HEADER = 'idempotency-key';
const JSON_TYPE = 'application/json';
/** The bytes of a key that no other request has. */
const KEY_BYTES = 16;
/** A proxy answers with these statuses if it has lost the answer. */
const LOST_FROM = 502;

/** The keys of the requests whose answers were lost, by what was sent. */
const lost = new Map<string, string>();
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
    request.headers.set(HEADER, lost.get(content) ?? newKey());
    contents.set(request, content);
  },
  onResponse({ request, response }) {
    note(request, response.status >= LOST_FROM);
  },
  onError({ request }) {
    note(request, true);
  },
};

function note(request: Request, isLost: boolean): void {
  const content = contents.get(request);
  if (content === undefined) return;
  if (isLost) lost.set(content, request.headers.get(HEADER)!);
  else lost.delete(content);
}

/** `crypto.randomUUID` is missing in pages that came over HTTP from another machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
