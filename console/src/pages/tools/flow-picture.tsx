import '@xyflow/react/dist/base.css';
import './flow-picture.css';
import { Graph, layout } from '@dagrejs/dagre';
import { useComputedColorScheme } from '@mantine/core';
import { Controls, type Edge, MarkerType, type Node, type NodeProps, Handle, Position, ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import type { Schemas } from '../../api/client.js';
import { formatDuration } from '../../parts/format.js';
import { withVisibleMarks } from '../../parts/visible-marks.js';

type Flow = Schemas['ToolFlow'];
export type NodeRun = Schemas['ToolRun']['nodes'][number];

interface PlacedNode extends Node {
  data: { name: string; type: string; steps: readonly NodeRun[]; state: string | undefined; onChoose: () => void };
}

interface FlowPictureProps {
  flow: Flow;
  /** The steps of a run, whose states the nodes then show. */
  steps?: readonly NodeRun[] | undefined;
  /** The node in which the run waits. */
  waitsAt?: string | undefined;
  chosen: string | null;
  onChoose: (nodeId: string) => void;
}

const WIDTH = 200;
/** Holds the name and two lines of facts. */
const HEIGHT = 76;
/** The space between two rows of nodes, in which the names of the edges fit. */
const ROW_GAP = 56;
const NODE_TYPES = { tool: ToolNode };

/** Draws a flow from its start to its ends. Each node is a button, so that it can be chosen by keyboard too. */
export default function FlowPicture({ flow, steps, waitsAt, chosen, onChoose }: FlowPictureProps) {
  const colorMode = useComputedColorScheme('light');
  const placed = useMemo(() => place(flow), [flow]);
  const nodes = flow.nodes.map(({ nodeId, name, type }): PlacedNode => {
    const own = steps?.filter((step) => step.nodeId === nodeId) ?? [];
    const data = {
      name: name ?? nodeId,
      type,
      steps: own,
      state: nodeId === waitsAt ? 'waits here' : (own.at(-1)?.status ?? (steps && 'not reached')),
      onChoose: () => onChoose(nodeId),
    };
    return {
      id: nodeId,
      type: 'tool',
      ariaRole: 'group',
      selected: nodeId === chosen,
      position: placed.get(nodeId)!,
      width: WIDTH,
      height: HEIGHT,
      data,
    };
  });
  return (
    <section aria-label="Flow" className="flow">
      <ReactFlow
        nodes={nodes}
        edges={edgesOf(flow)}
        nodeTypes={NODE_TYPES}
        colorMode={colorMode}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        // The wheel scrolls the panel, and the buttons change the size.
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

function ToolNode({ data: { name, type, steps, state, onChoose }, selected }: NodeProps<PlacedNode>) {
  const facts = [
    type !== name && type,
    state,
    steps.length > 0 && formatDuration(steps.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    steps.length > 1 && `${steps.length} times`,
  ];
  return (
    <>
      <Handle type="target" position={Position.Top} />
      <button type="button" className="flow-node" data-state={state} aria-pressed={selected} onClick={onChoose}>
        <span className="flow-name" dir="auto">
          {withVisibleMarks(name)}
        </span>
        <small>{facts.filter(Boolean).join(' · ')}</small>
      </button>
      <Handle type="source" position={Position.Bottom} />
    </>
  );
}

function edgesOf({ edges }: Flow): Edge[] {
  return edges.map(({ from, to, when }) => ({
    id: `${from} ${when}`,
    source: from,
    target: to,
    ...(when !== 'next' && { label: when }),
    markerEnd: { type: MarkerType.ArrowClosed },
  }));
}

/** Returns the left upper corner of each node. */
function place({ nodes, edges }: Flow): Map<string, { x: number; y: number }> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', ranksep: ROW_GAP });
  for (const { nodeId } of nodes) graph.setNode(nodeId, { width: WIDTH, height: HEIGHT });
  for (const { from, to, when } of edges) graph.setEdge(from, to, {}, when);
  layout(graph);
  return new Map(
    nodes.map(({ nodeId }) => {
      const { x, y } = graph.node(nodeId) as { x: number; y: number };
      return [nodeId, { x: x - WIDTH / 2, y: y - HEIGHT / 2 }];
    }),
  );
}
