const HEADER = 'idempotency-key';
const JSON_TYPE = 'application/json';
/** The bytes of a key that no other request has. */
const KEY_BYTES = 16;
/** A later request with the same content is meant as another one. */
const REPEATED_WITHIN_MS = 120_000;

/** The keys of the requests whose outcome is open, by what was sent, with the time at which that became known. */
const open = new Map<string, { key: string; at: number }>();
const contents = new WeakMap<Request, string>();

/**
 * Gives a POST a key, and the same one to its repeat if the answer was lost on the way. A user who sends a form again
 * makes nothing twice.
 */
export async function giveKey(request: Request, appId: string | null): Promise<void> {
  const isJson = (request.headers.get('content-type') ?? JSON_TYPE) === JSON_TYPE;
  if (request.method !== 'POST' || !isJson) return;
  const content = [request.url, appId, await request.clone().text()].join('\n');
  forgetOld();
  request.headers.set(HEADER, open.get(content)?.key ?? newKey());
  contents.set(request, content);
}

export function noteOutcome(request: Request, isOpen: boolean): void {
  const content = contents.get(request);
  if (content === undefined) return;
  if (isOpen) open.set(content, { key: request.headers.get(HEADER)!, at: Date.now() });
  else open.delete(content);
}

/** Forgets all requests, whose contents may be secrets. */
export function forgetRequests(): void {
  open.clear();
}

function forgetOld(): void {
  const limit = Date.now() - REPEATED_WITHIN_MS;
  for (const [content, { at }] of open) if (at < limit) open.delete(content);
}

/** `crypto.randomUUID` is missing in pages that came over HTTP from another machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
