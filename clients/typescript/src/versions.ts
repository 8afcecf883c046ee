import type { Refusal } from './errors.js';
import { VERSION } from './version.js';

const LOOK_TIMEOUT_MS = 30_000;

/** Whether the service has no such route, as one of another version may not. */
export function isOfAnotherVersion(error: Refusal): boolean {
  return error.is('ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED');
}

/** Returns the refusal of a route that the service does not have, with a sentence that names both versions. */
export async function explained(refusal: Refusal, { method, url }: Request, base: string, send: typeof fetch) {
  const serviceVersion = await versionOf(base, send);
  const service = serviceVersion === undefined ? 'of an unknown version' : `version ${serviceVersion}`;
  const message =
    `The service (${service}) does not have ${method} ${new URL(url).pathname}, ` +
    `which this client (version ${VERSION}) calls. Use the client that belongs to the service's version.`;
  return refusal.saying(message, { clientVersion: VERSION, serviceVersion: serviceVersion ?? null });
}

/** The OpenAPI document has the version of the service. It is read no further than that. */
async function versionOf(base: string, send: typeof fetch): Promise<string | undefined> {
  try {
    const { ok, body } = await send(`${base}/openapi.json`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
    if (!ok || !body) return undefined;
    const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
      const at = text.search(/"info"\s*:\s*\{/);
      const found = at < 0 ? null : /"version"\s*:\s*"([^"]{1,50})"/.exec(text.slice(at));
      if (found) {
        await reader.cancel();
        return found[1];
      }
    }
  } catch {
    return undefined;
  }
}
