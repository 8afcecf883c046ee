import type { JsonText } from '../../../kernel/json-text.js';
import { Templates } from '../../../platform/template/templates.js';
import { FlowNodeKind, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { TransformNode } from './transform.schema.js';

@FlowNodeKind({
  type: 'transform',
  description: 'Makes a value of templates, or a list of such values from another list.',
  members: TransformNode,
})
export class TransformKind extends NodeKind<TransformNode> {
  override readonly isPure = true;

  constructor(private readonly templates: Templates) {
    super();
  }

  async run({ output, each, where }: TransformNode, context: NodeContext): Promise<NodeOutcome> {
    if (each === undefined) return { output: await this.templates.value(output, context.variables, context) };
    const items = await this.listOf(each, context);
    return {
      output: await this.templates.list({ items, value: output, condition: where }, context.variables, context),
    };
  }

  private async listOf(each: string, context: NodeContext): Promise<JsonText> {
    const items = await this.templates.value(each, context.variables, context);
    if (!items.text.startsWith('['))
      throw new NodeFailure('NOT_A_LIST', 'With its values filled in, `each` is not a list.');
    return items;
  }
}
