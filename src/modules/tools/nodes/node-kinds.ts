import { Injectable, type Type } from '@nestjs/common';
import type { FlowNode, NodeType } from '../documents/documents.schema.js';
import { ConditionKind } from './condition.js';
import { EndKind } from './end.js';
import { HttpKind } from './http.js';
import { LlmKind } from './llm.js';
import { McpKind } from './mcp.js';
import type { NodeContext, NodeKind, NodeOutcome } from './node-kind.js';
import { ScriptKind } from './script.js';
import { StartKind } from './start.js';

/** Every type of node except `wait`, which has no work of its own: the run itself is suspended. */
type RunningType = Exclude<NodeType, 'wait'>;

export const NODE_KINDS: Type[] = [StartKind, ConditionKind, EndKind, HttpKind, LlmKind, McpKind, ScriptKind];

@Injectable()
export class NodeKinds {
  private readonly kinds: { readonly [T in RunningType]: NodeKind<T> };

  constructor(
    start: StartKind,
    condition: ConditionKind,
    end: EndKind,
    http: HttpKind,
    llm: LlmKind,
    mcp: McpKind,
    script: ScriptKind,
  ) {
    this.kinds = { start, condition, end, http, llm, mcp, script };
  }

  isPure({ type }: FlowNode): boolean {
    return type !== 'wait' && this.kinds[type].isPure;
  }

  run(node: Exclude<FlowNode, { type: 'wait' }>, context: NodeContext): Promise<NodeOutcome> {
    // The compiler cannot infer that the kind at `node.type` accepts this node.
    const kind = this.kinds[node.type] as { run(node: FlowNode, context: NodeContext): Promise<NodeOutcome> };
    return kind.run(node, context);
  }
}
