import { type Sql, sql } from '../../platform/database/sql.js';
import type { MessageKey } from './agent-assist.jobs.js';

export interface MessageToAnswer {
  projectId: string;
  agentId: string;
  said: string;
}

/** Nothing when it was answered, or bot, agent or conversation are gone. */
export function messageToAnswer({ botId, conversationId, seq }: MessageKey): Sql {
  return sql`
    select b.project_id as "projectId", b.agent_id as "agentId", e.said
    from assist_event e join assist_bot b on b.id = e.bot_id
    where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = ${seq} and e.proposal is null
      and b.agent_id is not null`;
}

export function keepProposal({ botId, conversationId, seq }: MessageKey, text: string): Sql {
  return sql`
    update assist_event set proposal = ${text}
    where bot_id = ${botId} and conversation_id = ${conversationId} and seq = ${seq} and proposal is null`;
}
