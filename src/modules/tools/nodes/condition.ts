import { Injectable } from '@nestjs/common';
import type { NodeOf } from '../documents/documents.schema.js';
import { Templates } from '../../../platform/template/templates.js';
import { JsonText } from '../../../kernel/json-text.js';
import { type NodeContext, NodeKind, type NodeOutcome } from './node-kind.js';

@Injectable()
export class ConditionKind extends NodeKind<'condition'> {
  override readonly isPure = true;

  constructor(private readonly templates: Templates) {
    super();
  }

  async run({ expression }: NodeOf<'condition'>, context: NodeContext): Promise<NodeOutcome> {
    const holds = await this.templates.holds(expression, context.variables, context);
    return { input: { expression }, output: JsonText.of(holds), way: holds ? 'true' : 'false' };
  }
}
