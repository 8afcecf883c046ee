import type { ModelProtocol } from '../../gateway/gateway.port.js';

/** Where and how a model is called. A protocol is made from it. */
export interface Endpoint {
  /** The address to which protocols append their paths. */
  readonly baseUrl: string;
  /** The name of the model at its provider. */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** The guarded client. */
  readonly fetch: typeof fetch;
}

export type MakeProtocol<E extends Endpoint = Endpoint> = (endpoint: E) => ModelProtocol;

/** Adds the provider's usual path to an address without one. */
export function withDefaultPath(baseUrl: string, path: string): string {
  return new URL(baseUrl).pathname === '/' ? `${baseUrl.replace(/\/$/, '')}${path}` : baseUrl;
}

/** The header that most endpoints expect a key in. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Headers in which protocols send a key. They are removed if the connection sends its key in a header of its own. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key'];

/** Wraps `send` so that requests go to one address and have these headers. */
export function redirected(
  send: typeof fetch,
  { address, headers, hasKey }: { address?: string | undefined; headers: [string, string][]; hasKey: boolean },
): typeof fetch {
  return (input, init) => {
    const all = new Headers(init?.headers);
    if (!hasKey) for (const name of KEY_HEADERS) all.delete(name);
    for (const [name, value] of headers) all.set(name, value);
    return send(address ?? input, { ...init, headers: all });
  };
}
