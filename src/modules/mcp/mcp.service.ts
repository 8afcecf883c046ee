import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { KeyActor } from '../../kernel/actor.js';
import { SlipwayError } from '../../kernel/errors.js';
import { OfferedTools } from '../tools/runs/offered-tools.service.js';
import { toolsErrors } from '../tools/tools.errors.js';
import type { ToolRunResult } from '../tools/tools.port.js';
import { CallParams, InitializeParams, ListParams, type McpAnswer, type McpMessage } from './mcp.schema.js';

/** The newest version comes first. A client that asks for another one is offered the newest. */
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

type Result = NonNullable<McpAnswer['result']>;

/** A refusal in the form of JSON-RPC. */
class McpRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Answers the messages of MCP clients. No state is kept between two messages, so any process can answer the next. */
@Injectable()
export class McpService {
  constructor(private readonly tools: OfferedTools) {}

  /** Returns null for a message that demands no answer. */
  async receive(actor: KeyActor, message: McpMessage, signal: AbortSignal): Promise<McpAnswer | null> {
    const { id, method, params = {} } = message;
    if (id === undefined || method === undefined) return null;
    try {
      return { jsonrpc: '2.0', id, result: await this.result(actor, method, params, signal) };
    } catch (error) {
      if (!(error instanceof McpRefusal)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
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
        throw new McpRefusal(METHOD_NOT_FOUND, 'There is no such method. This server offers tools, and nothing else.');
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
      if (error.spec.code === toolsErrors.inputInvalid.spec.code) return failed(inputFault(error));
      if (!isGone(error)) throw error;
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

export function isSupported(version: string): boolean {
  return PROTOCOL_VERSIONS.includes(version);
}

function initialized(asked: string): Result {
  return {
    protocolVersion: isSupported(asked) ? asked : PROTOCOL_VERSIONS[0]!,
    capabilities: { tools: {} },
    serverInfo: { name: 'slipway', version: '1' },
  };
}

/** A tool may be undeployed or deleted between the moment it is found and the moment its run begins. */
function isGone({ spec }: SlipwayError): boolean {
  return spec.code === toolsErrors.toolNotFound.spec.code || spec.code === toolsErrors.toolNotDeployed.spec.code;
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
