export const KEY_HEADER = 'idempotency-key';
const JSON_TYPE = 'application/json';
/** The bytes of a key that no other request has. */
const KEY_BYTES = 16;
/** A later request with the same content is meant as another one. */
export const REPEATED_WITHIN_MS = 120_000;

interface OpenRequest {
  key: string;
  forgetting: ReturnType<typeof setTimeout>;
}

/** The requests whose outcome is open, by what was sent. */
const open = new Map<string, OpenRequest>();
const contents = new WeakMap<Request, string>();

/**
 * Gives a POST a key, and the same one to its repeat if the answer was lost on the way. A user who sends a form again
 * makes nothing twice.
 */
export async function giveKey(request: Request, appId: string | null): Promise<void> {
  // The content of a form with files is not compared. Its sender gives it a key.
  const isJson = (request.headers.get('content-type') ?? JSON_TYPE) === JSON_TYPE;
  if (request.method !== 'POST' || !isJson) return;
  const content = [request.url, appId, await request.clone().text()].join('\n');
  request.headers.set(KEY_HEADER, open.get(content)?.key ?? newKey());
  contents.set(request, content);
}

export function noteOutcome(request: Request, isOpen: boolean): void {
  const content = contents.get(request);
  if (content === undefined) return;
  forget(content);
  if (!isOpen) return;
  const forgetting = setTimeout(() => forget(content), REPEATED_WITHIN_MS);
  open.set(content, { key: request.headers.get(KEY_HEADER)!, forgetting });
}

/** Reads the whole answer to a request with a key. If its end is lost on the way, the outcome is open. */
export async function fetchWhole(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (!request.headers.has(KEY_HEADER) || response.body === null) return response;
  return new Response(await response.arrayBuffer(), response);
}

/** Forgets all requests, whose contents may be secrets. */
export function forgetRequests(): void {
  for (const content of [...open.keys()]) forget(content);
}

function forget(content: string): void {
  clearTimeout(open.get(content)?.forgetting);
  open.delete(content);
}

/** `crypto.randomUUID` is missing in pages that came over HTTP from another machine. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
