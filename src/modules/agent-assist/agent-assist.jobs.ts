import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Identifies an event in the timeline of a conversation. */
const eventKey = z.object({ botId: ownId('bot'), conversationId: z.string(), seq: z.int() });
export type EventKey = z.output<typeof eventKey>;

/** Makes the summary that an event requested. */
export const summarizeConversation = defineJob('agent-assist.summarize', {
  queue: 'turns',
  data: eventKey,
  attempts: 4,
});

/** Asks the bot's agent to propose a reply to a user's message. The attempts are few, because a late reply is useless. */
export const proposeReply = defineJob('agent-assist.propose', { queue: 'turns', data: eventKey, attempts: 2 });

const botKey = z.object({ botId: ownId('bot') });
export type BotKey = z.output<typeof botKey>;

/** Deletes the conversations of a deleted bot. */
export const forgetBot = defineJob('agent-assist.forget-bot', { queue: 'upkeep', data: botKey, attempts: 20 });
