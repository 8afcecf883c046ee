import type { ModelProtocol } from '../../gateway/gateway.port.js';

/** Where a model is called, and with what. A protocol is a function from this. */
export interface Endpoint {
  /** What protocols append their paths to. */
  readonly baseUrl: string;
  /** As its provider calls it. */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** The guarded client. */
  readonly fetch: typeof fetch;
}

export type MakeProtocol<E extends Endpoint = Endpoint> = (endpoint: E) => ModelProtocol;

/** An address without a path gets the one that the provider's own has. */
export function withDefaultPath(baseUrl: string, path: string): string {
  return new URL(baseUrl).pathname === '/' ? `${baseUrl.replace(/\/$/, '')}${path}` : baseUrl;
}

/** Where only headers carry the key, what a protocol would send in its place is taken out. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key'];

/** Sends what a protocol sends to one address, with these headers as well. */
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
