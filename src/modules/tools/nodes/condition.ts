import { Templates } from '../../../platform/template/templates.js';
import { JsonText } from '../../../kernel/json-text.js';
import { FlowNodeKind, type NodeContext, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { ConditionNode } from './condition.schema.js';

@FlowNodeKind({
  type: 'condition',
  description: 'Decides the edge that the run takes. Its output is true or false.',
  members: ConditionNode,
})
export class ConditionKind extends NodeKind<ConditionNode> {
  override readonly isPure = true;

  constructor(private readonly templates: Templates) {
    super();
  }

  async run({ expression }: ConditionNode, context: NodeContext): Promise<NodeOutcome> {
    const holds = await this.templates.holds(expression, context.variables, context);
    return { input: { expression }, output: JsonText.of(holds), way: holds ? 'true' : 'false' };
  }
}
