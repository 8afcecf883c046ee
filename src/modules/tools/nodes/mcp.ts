import { Injectable } from '@nestjs/common';
import { toId } from '../../../kernel/ids.js';
import { JsonText } from '../../../kernel/json-text.js';
import { withRetries } from '../../../kernel/retries.js';
import { Templates } from '../../../platform/template/templates.js';
import type { McpConnection } from '../../mcp-connections/mcp-connection.entity.js';
import { McpFailure } from '../../mcp-connections/mcp-connections.port.js';
import { McpTools } from '../../mcp-connections/mcp-tools.service.js';
import type { NodeOf } from '../documents/documents.schema.js';
import { type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from './node-kind.js';
import { pausesOf } from './retries.js';

const TRANSIENT = ['MCP_UNREACHABLE', 'MCP_TIMED_OUT'];

@Injectable()
export class McpKind extends NodeKind<'mcp'> {
  constructor(
    private readonly mcp: McpTools,
    private readonly templates: Templates,
  ) {
    super();
  }

  async run(node: NodeOf<'mcp'>, context: NodeContext): Promise<NodeOutcome> {
    const [connection] = await this.mcp.active(context.projectId, [toId('mcpConnection', node.connectionId)]);
    if (!connection)
      throw new NodeFailure('MCP_CONNECTION_MISSING', 'The project has no active MCP connection with this id.');
    const filled = await this.templates.value(node.input, context.variables, context);
    const input = { connectionId: connection.id, tool: node.tool, input: filled.value as object };
    const attempt = async (attempts: number) => {
      const output = await this.call(node, connection, input, context);
      return { input: { ...input, attempts }, output };
    };
    return withRetries(attempt, pausesOf(node.retry), context.signal);
  }

  private async call(
    { tool, timeoutMs }: NodeOf<'mcp'>,
    connection: McpConnection,
    input: { input: object },
    { runId, sessionId, signal, variables }: NodeContext,
  ): Promise<JsonText> {
    const caller = { conversation: sessionId ?? runId, userTokens: valueOf<Record<string, string>>(variables.tokens) };
    const { idempotencyKey } = valueOf<{ idempotencyKey: string }>(variables.run);
    try {
      const call = { ...caller, tool, input: input.input, idempotencyKey, timeoutMs, signal };
      const { text, structured } = await this.mcp.call(connection, call);
      return JsonText.of({ text, structured });
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      throw new NodeFailure(error.reason, error.message, TRANSIENT.includes(error.reason), input);
    }
  }
}

function valueOf<Value>(variable: NodeContext['variables'][string] | undefined): Value {
  return (variable as JsonText).value as Value;
}
