import { z } from 'zod';
import { defineJob } from '../../platform/queue/job-definition.js';

const summaryKey = z.object({ botId: z.string(), conversationId: z.string(), seq: z.int() });
export type SummaryKey = z.output<typeof summaryKey>;

/** Makes the summary that an event asked for. */
export const summarizeConversation = defineJob<SummaryKey>('agent-assist.summarize', { data: summaryKey, attempts: 4 });

const botKey = z.object({ botId: z.string() });

/** Takes away the conversations of a bot that is gone. */
export const forgetBot = defineJob<z.output<typeof botKey>>('agent-assist.forget-bot', { data: botKey, attempts: 20 });
