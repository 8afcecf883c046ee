import { z } from 'zod';
import { ownId } from '../../kernel/schema.js';
import { defineJob } from '../../platform/queue/job-definition.js';

/** Of an event in a timeline. */
const eventKey = z.object({ botId: ownId('bot'), conversationId: z.string(), seq: z.int() });
export type EventKey = z.output<typeof eventKey>;

/** Makes the summary that an event asked for. */
export const summarizeConversation = defineJob('agent-assist.summarize', { data: eventKey, attempts: 4 });

/** Has the bot's agent propose a reply to what a user said. Later it would help nobody. */
export const proposeReply = defineJob('agent-assist.propose', { data: eventKey, attempts: 2 });

const botKey = z.object({ botId: ownId('bot') });
export type BotKey = z.output<typeof botKey>;

/** Takes away the conversations of a bot that is gone. */
export const forgetBot = defineJob('agent-assist.forget-bot', { data: botKey, attempts: 20 });
