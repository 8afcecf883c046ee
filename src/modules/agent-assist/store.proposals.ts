import type { Id } from '../../kernel/ids.js';
import { type Sql, sql } from '../../platform/database/sql.js';
import type { EventKey } from './agent-assist.jobs.js';

export interface MessageToAnswer {
  projectId: Id<'project'>;
  agentId: Id<'agent'>;
  said: string;
}

/** Nothing when it was answered, or bot, agent or conversation are gone. */
export function messageToAnswer({ botId, conversationId, seq }: EventKey): Sql {
  return sql`
    select b.project_id as "projectId", b.agent_id as "agentId", e.said
    from assist_event e join assist_bot b on b.id = e.bot_id
    where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = ${seq} and e.proposal is null
      and b.agent_id is not null`;
}

/** What a receiver knows the message by, and where it is to be told. */
export interface AnsweredMessage {
  projectId: Id<'project'>;
  subscriptionId: Id<'subscription'> | null;
  agentIdentity: string;
  said: string;
}

/** Nothing when it was kept before, or bot or conversation are gone. */
export function keepProposal({ botId, conversationId, seq }: EventKey, text: string): Sql {
  return sql`
    update assist_event e set proposal = ${text}
    from assist_bot b
    where b.id = e.bot_id and e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = ${seq}
      and e.proposal is null
    returning b.project_id as "projectId", b.subscription_id as "subscriptionId",
              e.agent_identity as "agentIdentity", e.said`;
}
