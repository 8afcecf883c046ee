import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

const conversations = oldRows({ table: 'assist_conversation', time: 'active_on', project: 'project_id' });

/** The period begins on the day of the last event. Events and summaries are deleted with their conversation. */
export const conversationRetention = defineRetention({
  name: 'conversations',
  holds: 'Conversations of the agent-assist hooks',
  keep: { days: 90 },
  perProject: { minDays: 1, maxDays: 3650 },
  sweep: { tables: [...conversations.tables, 'assist_event', 'assist_summary'], run: conversations.run },
});

/** The period begins when the token is no longer valid. */
export const usedTokenRetention = defineRetention({
  name: 'used-tokens',
  holds: 'Ids of tokens that are accepted once',
  keep: { hours: 1 },
  sweep: oldRows({ table: 'used_token', time: 'usable_until' }),
});
