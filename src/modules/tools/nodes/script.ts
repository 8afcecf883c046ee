import { Injectable } from '@nestjs/common';
import type { NodeOf } from '../documents/documents.schema.js';
import { ScriptFailure, ScriptPool } from '../scripts/script-pool.js';
import type { ScriptFault } from '../scripts/script-worker.js';
import { type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from './node-kind.js';

const CODES: Record<ScriptFault, string> = {
  compile: 'SCRIPT_FAILED',
  threw: 'SCRIPT_FAILED',
  pending: 'SCRIPT_FAILED',
  unserializable: 'SCRIPT_FAILED',
  timeout: 'SCRIPT_TIMED_OUT',
  memory: 'SCRIPT_OUT_OF_MEMORY',
  tooLarge: 'OUTPUT_TOO_LARGE',
};

@Injectable()
export class ScriptKind extends NodeKind<'script'> {
  constructor(private readonly scripts: ScriptPool) {
    super();
  }

  async run(
    { code, timeoutMs }: NodeOf<'script'>,
    { projectId, variables, signal }: NodeContext,
  ): Promise<NodeOutcome> {
    const { input, nodes, env, run } = variables;
    try {
      const output = await this.scripts.run({ projectId, code, scope: { input, nodes, env, run }, timeoutMs, signal });
      return { output: output === undefined ? null : (JSON.parse(output) as unknown) };
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error;
      throw new NodeFailure(CODES[error.fault], `The script failed: ${error.message}.`);
    }
  }
}
