import { z } from 'zod';
import type { JsonText } from '../../../kernel/json-text.js';
import { FlowNodeKind, type NodeContext, NodeKind, type NodeOutcome } from '../node-kind.port.js';

const StartNode = z.strictObject({});
type StartNode = z.infer<typeof StartNode>;

@FlowNodeKind({ type: 'start', description: 'The first node. Its output is the input of the run.', members: StartNode })
export class StartKind extends NodeKind<StartNode> {
  override readonly isPure = true;

  async run(_node: StartNode, { variables }: NodeContext): Promise<NodeOutcome> {
    return { output: variables.input as JsonText };
  }
}
