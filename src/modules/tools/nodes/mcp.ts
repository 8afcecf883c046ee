import { z } from 'zod';
import { toId } from '../../../kernel/ids.js';
import { JsonText } from '../../../kernel/json-text.js';
import { withRetries } from '../../../kernel/retries.js';
import { Templates } from '../../../platform/template/templates.js';
import type { McpConnection } from '../../mcp-connections/mcp-connection.entity.js';
import { McpFailure } from '../../mcp-connections/mcp-connections.port.js';
import { McpTools } from '../../mcp-connections/mcp-tools.service.js';
import { FlowNodeKind, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { pausesOf } from './retries.js';
import { retry, templates, whole } from './members.schema.js';

const TRANSIENT = ['MCP_UNREACHABLE', 'MCP_TIMED_OUT'];

const McpNode = z.strictObject({
  connectionId: z.string().min(1).max(64).describe('The id of an MCP connection of the project.'),
  tool: z.string().min(1).max(128).describe('The name of the tool at its server.'),
  input: z.record(z.string(), templates).default({}).describe('The input of the tool. Its texts are templates.'),
  timeoutMs: whole(1, 300_000)
    .default(30_000)
    .describe('The timeout of each attempt in milliseconds. That of the connection applies as well.'),
  retry,
});
type McpNode = z.infer<typeof McpNode>;

@FlowNodeKind({ type: 'mcp', description: 'Calls a tool of an MCP server.', members: McpNode })
export class McpKind extends NodeKind<McpNode> {
  constructor(
    private readonly mcp: McpTools,
    private readonly templates: Templates,
  ) {
    super();
  }

  async run(node: McpNode, context: NodeContext): Promise<NodeOutcome> {
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
    { tool, timeoutMs }: McpNode,
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
