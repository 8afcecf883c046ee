import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

const eventKey = z.object({ botId: z.string(), conversationId: z.string(), seq: z.int() });
export type SummaryKey = z.output<typeof eventKey>;
export type MessageKey = SummaryKey;

/** Makes the summary that an event asked for. */
export const summarizeConversation = defineJob<SummaryKey>('agent-assist.summarize', { data: eventKey, attempts: 4 });

/** Has the bot's agent propose a reply to what a user said. Later it would help nobody. */
export const proposeReply = defineJob<MessageKey>('agent-assist.propose', { data: eventKey, attempts: 2 });

const botKey = z.object({ botId: z.string() });

/** Takes away the conversations of a bot that is gone. */
export const forgetBot = defineJob<z.output<typeof botKey>>('agent-assist.forget-bot', { data: botKey, attempts: 20 });
