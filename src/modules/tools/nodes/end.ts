import { z } from 'zod';
import { Templates } from '../../../platform/template/templates.js';
import { FlowNodeKind, type NodeContext, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { templates } from './members.schema.js';

const EndNode = z.strictObject({
  output: templates.optional().describe('The output of the run. The default is the output of the previous node.'),
});
type EndNode = z.infer<typeof EndNode>;

@FlowNodeKind({ type: 'end', description: 'Ends the run.', members: EndNode })
export class EndKind extends NodeKind<EndNode> {
  override readonly isPure = true;

  constructor(private readonly templates: Templates) {
    super();
  }

  async run({ output }: EndNode, context: NodeContext): Promise<NodeOutcome> {
    if (output === undefined) return { output: context.before };
    return { output: await this.templates.value(output, context.variables, context) };
  }
}
