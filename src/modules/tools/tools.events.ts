import { z } from 'zod';
import { defineEvent, type PayloadOf } from '../../kernel/events.js';
import { ownId } from '../../kernel/schema.js';

const tool = z.object({ toolId: ownId('tool'), projectId: ownId('project') });

export const ToolDeployed = defineEvent(
  'tool.deployed',
  tool.extend({ versionId: ownId('toolVersion') }).describe('A version of a tool was deployed, or rolled back to.'),
);
export type ToolDeployed = PayloadOf<typeof ToolDeployed>;

export const ToolUndeployed = defineEvent('tool.undeployed', tool.describe('A tool was undeployed.'));
export type ToolUndeployed = PayloadOf<typeof ToolUndeployed>;
