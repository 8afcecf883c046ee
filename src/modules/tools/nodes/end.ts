import { Injectable } from '@nestjs/common';
import type { NodeOf } from '../documents/documents.schema.js';
import { Templates } from '../../../platform/template/templates.js';
import { type NodeContext, NodeKind, type NodeOutcome } from './node-kind.js';

@Injectable()
export class EndKind extends NodeKind<'end'> {
  override readonly isPure = true;

  constructor(private readonly templates: Templates) {
    super();
  }

  async run({ output }: NodeOf<'end'>, context: NodeContext): Promise<NodeOutcome> {
    if (output === undefined) return { output: context.before };
    return { output: await this.templates.value(output, context.variables, context) };
  }
}
