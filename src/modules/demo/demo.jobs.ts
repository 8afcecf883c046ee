import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

const conversationToBegin = z.object({
  appId: ownId('app'),
  /** The version that answers with the mock, also if another one becomes active before the messages are answered. */
  versionId: ownId('agentVersion'),
});
export type ConversationToBegin = z.output<typeof conversationToBegin>;

const toolToRun = z.object({ projectId: ownId('project'), toolId: ownId('tool') });
export type ToolToRun = z.output<typeof toolToRun>;

export const beginConversation = defineJob('demo.begin-conversation', {
  queue: 'turns',
  data: conversationToBegin,
  attempts: 3,
});

export const runDemoTool = defineJob('demo.run-tool', { queue: 'turns', data: toolToRun, attempts: 3 });
