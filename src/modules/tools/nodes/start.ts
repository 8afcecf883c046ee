import { Injectable } from '@nestjs/common';
import type { NodeOf } from '../documents/documents.schema.js';
import type { JsonText } from '../../../kernel/json-text.js';
import { type NodeContext, NodeKind, type NodeOutcome } from './node-kind.js';

@Injectable()
export class StartKind extends NodeKind<'start'> {
  override readonly isPure = true;

  async run(_node: NodeOf<'start'>, { variables }: NodeContext): Promise<NodeOutcome> {
    return { output: variables.input as JsonText };
  }
}
