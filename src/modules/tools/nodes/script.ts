import { JsonText } from '../../../kernel/json-text.js';
import { ScriptFailure, Scripts } from '../scripts/scripts.js';
import type { ScriptFault } from '../scripts/script.thread.js';
import { FlowNodeKind, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { ScriptNode } from './script.schema.js';

const CODES: Record<ScriptFault, string> = {
  compile: 'SCRIPT_FAILED',
  threw: 'SCRIPT_FAILED',
  pending: 'SCRIPT_FAILED',
  unserializable: 'SCRIPT_FAILED',
  timeout: 'SCRIPT_TIMED_OUT',
  memory: 'SCRIPT_OUT_OF_MEMORY',
  tooLarge: 'OUTPUT_TOO_LARGE',
};

@FlowNodeKind({ type: 'script', description: 'Runs JavaScript.', members: ScriptNode })
export class ScriptKind extends NodeKind<ScriptNode> {
  constructor(private readonly scripts: Scripts) {
    super();
  }

  async run(
    { code, timeoutMs }: ScriptNode,
    { projectId, variables, budget, signal }: NodeContext,
  ): Promise<NodeOutcome> {
    const { input, nodes, env, run } = variables;
    const scope = { input: input!, nodes: nodes!, env: env!, run: run! };
    try {
      const output = await this.scripts.run({ projectId, code, scope, timeoutMs, budget, signal });
      return { output: JsonText.parsed(output ?? 'null') };
    } catch (error) {
      if (!(error instanceof ScriptFailure)) throw error;
      throw new NodeFailure(CODES[error.fault], `The script failed: ${error.message}.`);
    }
  }
}
