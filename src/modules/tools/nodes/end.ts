import { Injectable } from '@nestjs/common';
import type { NodeOf } from '../documents/documents.schema.js';
import { Filling } from '../../../platform/template/template.js';
import { type NodeContext, NodeKind, type NodeOutcome } from './node-kind.js';

@Injectable()
export class EndKind extends NodeKind<'end'> {
  override readonly isPure = true;

  async run({ output }: NodeOf<'end'>, { variables, before }: NodeContext): Promise<NodeOutcome> {
    return { output: output === undefined ? before : new Filling(variables).value(output) };
  }
}
