import type { Schemas } from '../../api/client.js';

/** Returns the node in which a suspended run waits, which is the one after its last step. */
export function waitingNode({ edges }: Schemas['ToolFlow'], { status, nodes }: Schemas['ToolRun']): string | undefined {
  const last = nodes.at(-1);
  if (status !== 'suspended' || !last) return undefined;
  // The output of a condition is its result.
  const results = last.status === 'failed' ? ['error'] : ['next', String(last.output)];
  return edges.find(({ from, when }) => from === last.nodeId && results.includes(when))?.to;
}
