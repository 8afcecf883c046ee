import { isJsonObject } from '../../kernel/json.js';
import type { McpMessage } from './mcp.schema.js';

/** The newest version. Each of its requests names the version and describes the client, so there is no handshake. */
export const NEWEST_VERSION = '2026-07-28';
/** The versions with a handshake, newest first. A client that asks for another one is offered the newest. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

export const INVALID_PARAMS = -32602;
export const METHOD_NOT_FOUND = -32601;
const HEADERS_DIFFER = -32020;
const VERSION_UNSUPPORTED = -32022;

/** The headers in which the newest version repeats members of the body, for proxies that do not read bodies. */
export interface McpHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
}

/** A refusal in the form of JSON-RPC. Without a status, it is answered with 200. */
export class McpRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly status: 200 | 400 | 404 = 200,
    readonly data?: McpMessage['params'],
  ) {
    super(message);
  }
}

export function hasHandshake(version: string): boolean {
  return HANDSHAKE_VERSIONS.includes(version);
}

/**
 * Whether the version of the header is spoken here. If the message names one as well, that one counts, and its refusal
 * has the form of JSON-RPC.
 */
export function isKnown(version: string | undefined, message: McpMessage): boolean {
  return version === undefined || version === NEWEST_VERSION || hasHandshake(version) || namesVersion(message);
}

/** Whether a message names its version, so that a refusal has the form that the newest version demands. */
function namesVersion({ params }: McpMessage): boolean {
  return metaOf(params)[VERSION] !== undefined;
}

/**
 * Whether a message is one of the newest version. Throws a refusal if it claims to be one, and lacks what the version
 * demands, or contradicts its headers.
 */
export function isOfNewest({ id, method, params = {} }: McpMessage, headers: McpHeaders): boolean {
  const meta = metaOf(params);
  const version = meta[VERSION];
  if (version === undefined) {
    if (headers.version !== NEWEST_VERSION) return false;
    throw refusal(INVALID_PARAMS, `The request lacks params._meta["${VERSION}"], which this version demands.`);
  }
  if (typeof version !== 'string' || (id !== undefined && !isJsonObject(meta[CAPABILITIES])))
    throw refusal(INVALID_PARAMS, `params._meta needs a text ${VERSION} and an object ${CAPABILITIES}.`);
  checkHeader('MCP-Protocol-Version', headers.version, version, false);
  checkHeader('Mcp-Method', headers.method, method, false);
  if (version !== NEWEST_VERSION) {
    const data = { supported: [NEWEST_VERSION], requested: version };
    throw refusal(VERSION_UNSUPPORTED, `The version ${version} is not supported.`, data);
  }
  if (id === undefined) return true;
  checkHeader('MCP-Protocol-Version', headers.version, version, true);
  checkHeader('Mcp-Method', headers.method, method, true);
  if (method === 'tools/call' && typeof params.name === 'string')
    checkHeader('Mcp-Name', headers.name && decoded(headers.name), params.name, true);
  return true;
}

function metaOf(params: McpMessage['params']): Record<string, unknown> {
  return isJsonObject(params?._meta) ? params._meta : {};
}

function checkHeader(name: string, header: string | undefined, value: string | undefined, isNeeded: boolean): void {
  if (header === undefined ? !isNeeded : header === value) return;
  const reason = header === undefined ? 'is missing' : 'differs from the body';
  throw refusal(HEADERS_DIFFER, `The header ${name} ${reason}.`);
}

/** Names that a header cannot have are sent as `=?base64?…?=`. */
function decoded(header: string): string {
  const base64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header.trim())?.[1];
  return base64 === undefined ? header.trim() : Buffer.from(base64, 'base64').toString();
}

function refusal(code: number, message: string, data?: McpMessage['params']): McpRefusal {
  return new McpRefusal(code, message, 400, data);
}
