import type { ScriptNode } from '../nodes/script.schema.js';
import type { FlowEdge } from './documents.schema.js';
import type { FlowNode } from './node-schemas.js';

interface Fault {
  path: (string | number)[];
  message: string;
}

/** The next node of a run after a node, by the node's outcome. */
export interface NextNodes {
  next?: string;
  true?: string;
  false?: string;
  error?: string;
}

export interface FoundScript {
  code: string;
  /** The path of its node in the flow document. */
  where: string;
}

export function scriptsIn(nodes: readonly FlowNode[], flow: number): FoundScript[] {
  return nodes.flatMap((node, at) => {
    return isScript(node) ? [{ code: node.code, where: `callflows.${flow}.nodes.${at}` }] : [];
  });
}

function isScript(node: FlowNode): node is FlowNode & ScriptNode {
  return node.type === 'script';
}

/** Returns what keeps the nodes and edges from being a flow that can run, each fault with its path. */
export function flowFaults(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): Fault[] {
  const faults = [...nodeFaults(nodes), ...edgeFaults(nodes, edges)];
  return faults.length > 0 ? faults : pathFaults(nodes, edges);
}

export function nextNodesOf(edges: readonly FlowEdge[]): Map<string, NextNodes> {
  const nextNodes = new Map<string, NextNodes>();
  for (const { from, to, when = 'next' } of edges) nextNodes.set(from, { ...nextNodes.get(from), [when]: to });
  return nextNodes;
}

function nodeFaults(nodes: readonly FlowNode[]): Fault[] {
  const ids = nodes.map(({ id }) => id);
  const faults = nodes.flatMap(({ id }, at): Fault[] => {
    return ids.indexOf(id) === at ? [] : [{ path: ['nodes', at, 'id'], message: `is the id of another node: ${id}` }];
  });
  const starts = nodes.filter(({ type }) => type === 'start').length;
  if (starts !== 1) faults.push({ path: ['nodes'], message: `must have one start node, but have ${starts}` });
  if (!nodes.some(({ type }) => type === 'end')) faults.push({ path: ['nodes'], message: 'have no end node' });
  return faults;
}

function edgeFaults(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): Fault[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const taken = new Set<string>();
  return edges.flatMap(({ from, to, when = 'next' }, at): Fault[] => {
    const fault = (member: string, message: string): Fault[] => [{ path: ['edges', at, member], message }];
    const source = byId.get(from);
    if (!source) return fault('from', `leads from ${from}, which is not a node`);
    const target = byId.get(to);
    if (!target) return fault('to', `leads to ${to}, which is not a node`);
    if (target.type === 'start') return fault('to', 'leads to the start node');
    if (source.type === 'end') return fault('from', 'leads away from an end node');
    const isOfCondition = when === 'true' || when === 'false';
    if (source.type === 'condition' && when === 'next') return fault('when', 'must be true or false after a condition');
    if (source.type === 'start' && when === 'error')
      return fault('when', 'has no effect, because a start node does not fail');
    if (source.type !== 'condition' && isOfCondition)
      return fault('when', `is only for conditions, and ${from} is not a condition`);
    const outcome = `${from} ${when}`;
    if (taken.has(outcome)) return fault('when', `repeats the case of another edge of ${from}`);
    taken.add(outcome);
    return [];
  });
}

/** Checks that each node can be reached from the start, and that an end can be reached from each node. */
function pathFaults(nodes: readonly FlowNode[], edges: readonly FlowEdge[]): Fault[] {
  const nextNodes = nextNodesOf(edges);
  const start = nodes.find(({ type }) => type === 'start')!;
  const reached = reachableFrom([start.id], (id) => edges.filter(({ from }) => from === id).map(({ to }) => to));
  const ends = nodes.filter(({ type }) => type === 'end').map(({ id }) => id);
  const ending = reachableFrom(ends, (id) => edges.filter(({ to }) => to === id).map(({ from }) => from));
  return nodes.flatMap(({ id, type }, at): Fault[] => {
    const fault = (message: string): Fault[] => [{ path: ['nodes', at], message: `${id} ${message}` }];
    if (!reached.has(id)) return fault('cannot be reached from the start');
    const { next, true: ifTrue, false: ifFalse } = nextNodes.get(id) ?? {};
    if (type === 'condition' && (!ifTrue || !ifFalse)) return fault('needs an edge for true and one for false');
    if (type !== 'condition' && type !== 'end' && !next) return fault('has no edge that leads on from it');
    return ending.has(id) ? [] : fault('does not lead to an end node, so the run would never end');
  });
}

function reachableFrom(from: readonly string[], neighbours: (id: string) => string[]): Set<string> {
  const seen = new Set(from);
  const pending = [...from];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const next of neighbours(id)) {
      if (seen.has(next)) continue;
      seen.add(next);
      pending.push(next);
    }
  }
  return seen;
}
