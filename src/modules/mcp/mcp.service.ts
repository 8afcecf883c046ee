import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { KeyActor } from '../../kernel/actor.js';
import { type DefinedError, SlipwayError } from '../../kernel/errors.js';
import { OfferedTools } from '../tools/runs/offered-tools.service.js';
import { toolsErrors } from '../tools/tools.errors.js';
import type { ToolRunResult } from '../tools/tools.port.js';
import {
  CallParams,
  InitializeParams,
  ListParams,
  type McpAnswer,
  type McpMessage,
  type McpReply,
} from './mcp.schema.js';
import { mcpErrors } from './mcp.errors.js';
import {
  HANDSHAKE_VERSIONS,
  hasHandshake,
  INVALID_PARAMS,
  isKnown,
  isOfNewest,
  type McpHeaders,
  McpRefusal,
  METHOD_NOT_FOUND,
  NEWEST_VERSION,
} from './mcp-version.js';

type Result = NonNullable<McpAnswer['result']>;

const NO_METHOD = 'There is no such method. This server offers tools, and nothing else.';
const SERVER_INFO = { name: 'slipway', version: '1' };
/** Tools are deployed and undeployed at any time, so a list may not be kept. Another key may see other tools. */
const NOT_KEPT = { ttlMs: 0, cacheScope: 'private' };

/** Answers the messages of MCP clients. No state is kept between two messages, so any process can answer the next. */
@Injectable()
export class McpService {
  constructor(private readonly tools: OfferedTools) {}

  /** The answer is null for a message that demands none. */
  async receive(actor: KeyActor, message: McpMessage, headers: McpHeaders, signal: AbortSignal): Promise<McpReply> {
    if (!isKnown(headers.version, message)) throw mcpErrors.versionNotSupported();
    const { id = null, method, params = {} } = message;
    try {
      const isNewest = isOfNewest(message, headers);
      if (id === null || method === undefined) return { status: 202, answer: null };
      const result = isNewest
        ? complete(await this.newestResult(actor, method, params, signal))
        : await this.result(actor, method, params, signal);
      return { status: 200, answer: { jsonrpc: '2.0', id, result } };
    } catch (error) {
      if (!(error instanceof McpRefusal)) throw error;
      const { code, message: words, status, data } = error;
      return { status, answer: { jsonrpc: '2.0', id, error: { code, message: words, ...(data && { data }) } } };
    }
  }

  private async newestResult(actor: KeyActor, method: string, params: object, signal: AbortSignal): Promise<Result> {
    switch (method) {
      case 'server/discover':
        return { supportedVersions: [NEWEST_VERSION], capabilities: { tools: {} }, ...NOT_KEPT };
      case 'tools/list':
        return { ...(await this.list(actor, read(ListParams, params).cursor)), ...NOT_KEPT };
      case 'tools/call':
        return this.call(actor, read(CallParams, params), signal);
      default:
        throw new McpRefusal(METHOD_NOT_FOUND, NO_METHOD, 404);
    }
  }

  private async result(actor: KeyActor, method: string, params: object, signal: AbortSignal): Promise<Result> {
    switch (method) {
      case 'initialize':
        return initialized(read(InitializeParams, params).protocolVersion);
      case 'ping':
        return {};
      case 'tools/list':
        return this.list(actor, read(ListParams, params).cursor);
      case 'tools/call':
        return this.call(actor, read(CallParams, params), signal);
      default:
        throw new McpRefusal(METHOD_NOT_FOUND, NO_METHOD);
    }
  }

  private async list({ projectId }: KeyActor, cursor: string | undefined): Promise<Result> {
    const { tools, nextCursor } = await this.tools.page(projectId, cursor);
    // The documents of tools were JSON when they were imported.
    return { tools: tools as unknown as Result[], ...(nextCursor !== null && { nextCursor }) };
  }

  private async call(actor: KeyActor, params: z.infer<typeof CallParams>, signal: AbortSignal): Promise<Result> {
    try {
      const result = await this.tools.call(actor, params.name, params.arguments, signal);
      if (result) return toCallResult(result);
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error;
      // A model can mend its arguments only if it reads what is wrong with them.
      if (isOneOf(error, toolsErrors.inputInvalid)) return failed(inputFault(error));
      // A tool may be undeployed or deleted between the moment it is found and the moment its run begins.
      if (!isOneOf(error, toolsErrors.toolNotFound, toolsErrors.toolNotDeployed)) throw error;
    }
    throw new McpRefusal(INVALID_PARAMS, 'No deployed tool of this project has this name. List the tools again.');
  }
}

function read<Schema extends z.ZodType>(schema: Schema, params: object): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(params);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw new McpRefusal(INVALID_PARAMS, `The member ${['params', ...path].join('.')} is invalid: ${message}.`);
}

function initialized(asked: string): Result {
  return {
    protocolVersion: hasHandshake(asked) ? asked : HANDSHAKE_VERSIONS[0]!,
    capabilities: { tools: {} },
    serverInfo: SERVER_INFO,
  };
}

/** Adds what results of the newest version have. Without a handshake, each of them names the server. */
function complete({ _meta, ...result }: Result): Result {
  const meta = { ...(_meta as object | undefined), 'io.modelcontextprotocol/serverInfo': SERVER_INFO };
  return { ...result, resultType: 'complete', _meta: meta };
}

/** Whether an error is one that was declared as one of these. */
function isOneOf({ spec }: SlipwayError, ...declared: DefinedError[]): boolean {
  return declared.some((each) => each.spec === spec);
}

function inputFault({ message, extras }: SlipwayError): string {
  const issues = (extras.details?.issues ?? []) as { path: string; message: string }[];
  return [message, ...issues.slice(0, 5).map((issue) => `${issue.path} ${issue.message}`)].join('\n');
}

function toCallResult(result: ToolRunResult): Result {
  const _meta = { 'slipway/runId': result.runId };
  if (result.status === 'failed') return { ...failed(`${result.error.code}: ${result.error.message}`), _meta };
  if (result.status === 'suspended') {
    const until = result.until.toISOString();
    return { ...content(`The run ${result.runId} waits for a callback of another system until ${until}.`), _meta };
  }
  const { output } = result;
  return { ...content(typeof output === 'string' ? output : JSON.stringify(output)), _meta };
}

function failed(text: string): Result {
  return { ...content(text), isError: true };
}

function content(text: string): Result {
  return { content: [{ type: 'text', text }] };
}
