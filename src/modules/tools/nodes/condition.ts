import { Injectable } from '@nestjs/common';
import type { NodeOf } from '../documents/documents.schema.js';
import { holds } from '../../../platform/template/template.js';
import { type NodeContext, NodeKind, type NodeOutcome } from './node-kind.js';

@Injectable()
export class ConditionKind extends NodeKind<'condition'> {
  override readonly isPure = true;

  async run({ expression }: NodeOf<'condition'>, { variables }: NodeContext): Promise<NodeOutcome> {
    const output = holds(expression, variables);
    return { input: { expression }, output, way: output ? 'true' : 'false' };
  }
}
