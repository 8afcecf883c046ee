import { z } from 'zod';
import { exampleId } from '../../../kernel/ids.js';
import { id, timestamp } from '../../../kernel/schema.js';
import type { Callflow } from '../documents/documents.schema.js';
import type { Tool } from './tool.entity.js';
import type { ToolVersion } from './tool-version.entity.js';

const versionId = id('toolVersion');

export const RollBackTool = z
  .strictObject({ versionId })
  .meta({ id: 'RollBackTool', examples: [{ versionId: exampleId('toolVersion') }] });
export type RollBackTool = z.infer<typeof RollBackTool>;

export const ToolGone = z.object({ toolId: id('tool') }).meta({ id: 'ToolGone' });

const callflowId = z.string().meta({ examples: ['main'] });

const versionMembers = {
  versionId,
  number: z.int().meta({ examples: [1] }),
  isOwn: z
    .boolean()
    .describe('The version that the next deployment or export uses.')
    .meta({ examples: [true] }),
  isDeployed: z.boolean().meta({ examples: [true] }),
  callflows: z.array(callflowId),
  createdAt: timestamp,
};

export const ToolVersionView = z.object(versionMembers).meta({ id: 'ToolVersion' });

const nodeId = z.string().meta({ examples: ['find'] });
const FlowView = z
  .object({
    flowId: callflowId,
    name: z.string().meta({ examples: ['Main'] }),
    nodes: z.array(
      z.object({
        nodeId,
        name: z
          .string()
          .nullable()
          .describe('The name that people see, or null if the flow document has none.')
          .meta({ examples: ['Find the order'] }),
        type: z.string().meta({ examples: ['http'] }),
      }),
    ),
    edges: z.array(
      z.object({
        from: nodeId,
        to: nodeId.meta({ examples: ['end'] }),
        when: z
          .enum(['next', 'true', 'false', 'error'])
          .describe('The result of the node for which the run takes the edge.'),
      }),
    ),
  })
  .meta({ id: 'ToolFlow' });

export const ToolVersionFlows = z
  .object({ ...versionMembers, flows: z.array(FlowView) })
  .meta({ id: 'ToolVersionFlows' });

/** Shows the shape of the flows, without the templates and scripts of their nodes. */
export function toVersionFlows(tool: Tool, version: ToolVersion): z.infer<typeof ToolVersionFlows> {
  return { ...toVersionView(tool, version), flows: version.documents.callflows.map(toFlowView) };
}

function toFlowView({ id: flowId, name, nodes, edges }: Callflow): z.infer<typeof FlowView> {
  return {
    flowId,
    name,
    nodes: nodes.map((node) => ({ nodeId: node.id, name: node.name ?? null, type: node.type })),
    edges: edges.map(({ from, to, when }) => ({ from, to, when: when ?? 'next' })),
  };
}

export function toVersionView(tool: Tool, version: ToolVersion): z.infer<typeof ToolVersionView> {
  return {
    versionId: version.id,
    number: version.number,
    isOwn: tool.versionId === version.id,
    isDeployed: tool.deployedVersionId === version.id,
    callflows: version.documents.callflows.map(({ id: callflowId }) => callflowId),
    createdAt: version.createdAt.toISOString(),
  };
}
