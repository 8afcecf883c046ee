import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { isJsonObject } from '../../kernel/json.js';
import { shortened } from '../../kernel/shortened.js';
import { maskSecret } from '../../kernel/secret-mask.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { Called, textOf, ToolPage } from './client/mcp-messages.js';
import { McpRefusal } from './client/mcp-failures.js';
import { type McpEndpoint, McpSession, type McpTime } from './client/mcp-session.js';
import { OlderServers } from './client/mcp-versions.js';
import { ToolListing } from './client/tool-listing.js';
import type { McpConnection } from './mcp-connection.entity.js';
import { McpConnectionRepository } from './mcp-connection.repository.js';
import { McpHeaders } from './mcp-headers.js';
import { KeptSessions } from './kept-sessions.js';
import { KnownListings } from './known-listings.js';
import { McpFailure, type McpListing, type McpResult } from './mcp-connections.port.js';

const LIST_MS = 10_000;
const MAX_PAGES = 10;
const MAX_WORDS = 1_000;
const ASKS_BACK = 'The tool asks for more input of a user or a model, which cannot be given here.';
/** Shorter secrets are not masked, because they occur by chance in too many texts. */
const SHORTEST_SECRET = 8;

/** For whom a server is asked. */
export interface McpCaller {
  /** Calls of one conversation share a session with the server, and no others do. */
  conversation: string;
  /** The access tokens of the user by the names of their authorization profiles. */
  userTokens: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export interface McpCall extends McpCaller {
  tool: string;
  input: object;
  /** The same for each attempt at one call. A server may use it, as the protocol has no such key. */
  idempotencyKey: string;
  timeoutMs?: number;
}

/** Lists and calls the tools of MCP servers. Every request leaves through the guarded client. */
@Injectable()
export class McpTools {
  private readonly listings = new KnownListings();
  private readonly olderServers = new OlderServers();

  constructor(
    private readonly outbound: Outbound,
    private readonly connections: McpConnectionRepository,
    private readonly headers: McpHeaders,
    private readonly sessions: KeptSessions,
  ) {}

  /** Returns the active connections among these, in the same order. */
  async active(projectId: Id<'project'>, ids: readonly Id<'mcpConnection'>[]): Promise<McpConnection[]> {
    if (ids.length === 0) return [];
    const found = await this.connections.activeAmong(projectId, ids);
    return ids.flatMap((id) => found.find((connection) => connection.id === id) ?? []);
  }

  /** Returns what the server offered the same user within the last minute, or asks it. Throws as `list` does. */
  async offered(connection: McpConnection, caller: Omit<McpCaller, 'conversation'>): Promise<McpListing> {
    const key = this.listingKey(connection, caller.userTokens);
    return this.listings.of(key, () => this.list(connection, caller));
  }

  /** Asks the server for its tools. Throws an McpFailure, or the signal's reason. */
  async list(connection: McpConnection, caller: Omit<McpCaller, 'conversation'>): Promise<McpListing> {
    const endpoint = this.endpointOf(connection, caller.userTokens);
    const hide = hiding(endpoint.headers);
    const session = this.sessionWith(endpoint);
    const time = timeOf(caller.signal, Math.min(LIST_MS, connection.timeoutMs));
    const listing = new ToolListing((name) => connection.allows(name), connection.allowedTools ?? []);
    try {
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES && !listing.isFull; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const { tools, nextCursor } = await session.request('tools/list', params, ToolPage, time);
        listing.add(tools.map((tool) => hiddenIn(tool, hide)));
        cursor = nextCursor;
        if (cursor === undefined) break;
      }
      return listing.end();
    } catch (error) {
      throw withoutSecrets(error, hide);
    } finally {
      await session.close();
    }
  }

  /** Calls a tool. Throws an McpFailure, or the signal's reason. */
  async call(connection: McpConnection, { tool, input, idempotencyKey, ...caller }: McpCall): Promise<McpResult> {
    if (!connection.allows(tool)) throw new McpFailure('MCP_TOOL_NOT_OFFERED');
    const endpoint = this.endpointOf(connection, caller.userTokens);
    const hide = hiding(endpoint.headers);
    const name = digestOf([
      connection.id,
      connection.modifiedAt.toISOString(),
      caller.conversation,
      ...endpoint.headers.flat(),
    ]);
    const params = { name: tool, arguments: input, _meta: { 'slipway/idempotencyKey': idempotencyKey } };
    const time = timeOf(caller.signal, Math.min(connection.timeoutMs, caller.timeoutMs ?? Infinity));
    try {
      const called = await this.sessions.use(
        name,
        () => this.sessionWith(endpoint),
        (session) => session.request('tools/call', params, Called, time),
      );
      const { structuredContent, isError, resultType = 'complete' } = called;
      if (resultType !== 'complete') throw new McpFailure('MCP_TOOL_FAILED', ASKS_BACK);
      const text = hide(textOf(called));
      if (isError) throw new McpFailure('MCP_TOOL_FAILED', shortened(text || 'The tool says no more.', MAX_WORDS));
      return { text, structured: hiddenIn(structuredContent ?? null, hide) };
    } catch (error) {
      // The server may have changed its tools, so that the next step of the turn asks for them again.
      if (error instanceof McpFailure) this.listings.forget(this.listingKey(connection, caller.userTokens));
      throw withoutSecrets(error, hide);
    }
  }

  private sessionWith(endpoint: McpEndpoint): McpSession {
    return new McpSession(this.outbound, endpoint, this.olderServers);
  }

  private listingKey({ id, modifiedAt }: McpConnection, userTokens: McpCaller['userTokens']): string {
    return digestOf([id, modifiedAt.toISOString(), ...Object.values(userTokens)]);
  }

  private endpointOf(connection: McpConnection, userTokens: Readonly<Record<string, string>>) {
    const headers = this.headers.of(connection);
    if (!headers) throw new McpFailure('MCP_HEADERS_UNREADABLE');
    const own = headers.map(({ key, value }) => [key, value] as const);
    const { url, authProfile } = connection;
    if (authProfile === null) return { url, headers: own };
    const token = Object.hasOwn(userTokens, authProfile) ? userTokens[authProfile] : undefined;
    if (token === undefined) {
      const message = `The tools need the user’s authorization for ${authProfile}, which is missing.`;
      throw new McpFailure('MCP_SIGN_IN_REQUIRED', message);
    }
    return { url, headers: [...own, ['authorization', `Bearer ${token}`] as const] };
  }
}

/** Names a caller of a server without keeping secrets. */
function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

function timeOf(signal: AbortSignal, ms: number): McpTime {
  return { signal, deadline: performance.now() + ms };
}

/** Masks the values of headers in what a server says, because it may repeat them. */
function hiding(headers: readonly (readonly [string, string])[]): (text: string) => string {
  const masks = headers
    .flatMap(([, value]) => [value, value.replace(/^Bearer /i, '')])
    .filter((value) => value.length >= SHORTEST_SECRET)
    .flatMap((secret) => spellingsOf(secret).map((spelling) => [spelling, maskSecret(secret)] as const));
  return (text) => masks.reduce((hidden, [spelling, mask]) => hidden.replaceAll(spelling, mask), text);
}

/** Returns a secret as it stands in texts, in addresses, and in base64 with or without its padding. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  return [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), bytes.toString('base64url')];
}

/** Masks the texts, names and numbers of a value. Its JSON as a whole could be spoilt by a mask. */
function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value === 'number') return hide(String(value)) === String(value) ? value : hide(String(value));
  if (Array.isArray(value)) return value.map((item) => hiddenIn(item, hide));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), hiddenIn(member, hide)]));
}

/** Returns the error without the values of headers that the server may have repeated in its words. */
function withoutSecrets(error: unknown, hide: (text: string) => string): unknown {
  return error instanceof McpRefusal ? new McpFailure(error.reason, hide(error.message)) : error;
}
