import { z } from 'zod';
import { exampleId } from '../../../kernel/ids.js';
import { id, timestamp } from '../../../kernel/schema.js';
import type { Tool } from './tool.entity.js';
import type { ToolVersion } from './tool-version.entity.js';

const versionId = id('toolVersion');

export const RollBackTool = z
  .strictObject({ versionId })
  .meta({ id: 'RollBackTool', examples: [{ versionId: exampleId('toolVersion') }] });
export type RollBackTool = z.infer<typeof RollBackTool>;

export const ToolGone = z.object({ toolId: id('tool') }).meta({ id: 'ToolGone' });

const ToolVersionView = z
  .object({
    versionId,
    number: z.int().meta({ examples: [1] }),
    isOwn: z
      .boolean()
      .describe('The version that the next deployment or export uses.')
      .meta({ examples: [true] }),
    isDeployed: z.boolean().meta({ examples: [true] }),
    callflows: z.array(z.string().meta({ examples: ['main'] })),
    createdAt: timestamp,
  })
  .meta({ id: 'ToolVersion' });

export const ToolVersionList = z.array(ToolVersionView);

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
