import { z } from 'zod';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { MINUTE_MS } from '../../../kernel/spans.js';

/** The newest version. Its requests describe the client, so there is neither a handshake nor a session. */
export const NEWEST_VERSION = '2026-07-28';
/** The version that a handshake asks for. */
export const HANDSHAKE_VERSION = '2025-11-25';

const CLIENT = { name: 'slipway', version: '1' };
const MAX_SERVERS = 1_000;
const REMEMBERED_MS = 10 * MINUTE_MS;

/** The terms to which the server has agreed. The id is null if it keeps no sessions. */
export interface SessionTerms {
  id: string | null;
  version: string;
}

export const Discovered = z.object({ supportedVersions: z.array(z.string()) });
export const HANDSHAKE = { protocolVersion: HANDSHAKE_VERSION, capabilities: {}, clientInfo: CLIENT };
export const NEWEST: SessionTerms = { id: null, version: NEWEST_VERSION };

/** Remembers which servers do not speak the newest version, so that each session need not ask again. */
export class OlderServers {
  private readonly until = new RecentlyUsed<string, number>(MAX_SERVERS);

  has(url: string): boolean {
    return (this.until.get(url) ?? 0) > performance.now();
  }

  add(url: string): void {
    this.until.set(url, performance.now() + REMEMBERED_MS);
  }

  /** A server that refuses the handshake may speak the newest version meanwhile. */
  forget(url: string): void {
    this.until.set(url, 0);
  }
}

export function isNewest(open: SessionTerms | null): boolean {
  return open?.version === NEWEST_VERSION;
}

/** Adds what the version demands of each request. */
export function paramsFor(open: SessionTerms | null, params: object): object {
  if (!isNewest(open)) return params;
  const { _meta, ...rest } = params as { _meta?: object };
  return {
    ...rest,
    _meta: {
      ..._meta,
      'io.modelcontextprotocol/protocolVersion': NEWEST_VERSION,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}

/** Returns the headers of a message. The newest version repeats members of the body, for proxies that do not read it. */
export function headersFor(
  own: readonly (readonly [string, string])[],
  open: SessionTerms | null,
  { method, params }: { method?: unknown; params?: unknown } = {},
): Headers {
  const headers = new Headers(own.map(([name, value]): [string, string] => [name, value]));
  if (open) headers.set('mcp-protocol-version', open.version);
  if (open?.id) headers.set('mcp-session-id', open.id);
  if (!isNewest(open) || typeof method !== 'string') return headers;
  headers.set('mcp-method', method);
  const { name } = (params ?? {}) as { name?: unknown };
  if (method === 'tools/call' && typeof name === 'string') headers.set('mcp-name', encoded(name));
  return headers;
}

/** Names that a header cannot have, or that look encoded, are sent as base64. */
function encoded(name: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith('=?base64?');
  return isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}
