import type { Id } from '../../kernel/ids.js';
import { type Sql, sql } from '../../platform/database/sql.js';
import type { EventKey } from './agent-assist.jobs.js';
import type { Author } from './hooks.schema.js';

export interface PendingSummary {
  projectId: Id<'project'>;
  botName: string;
  connectionId: Id<'connection'> | null;
  agentId: Id<'agent'> | null;
  language: string;
  locale: string;
  type: string;
}

/** Nothing when it is there already, or bot or conversation are gone. */
export function pendingSummary({ botId, conversationId, seq }: EventKey): Sql {
  return sql`
    select b.project_id as "projectId", b.name as "botName", b.connection_id as "connectionId",
           b.agent_id as "agentId", s.language, s.locale,
           s.type
    from assist_summary s join assist_bot b on b.id = s.bot_id
    where s.bot_id = ${botId} and s.conversation_id = ${conversationId} and s.seq = ${seq} and s.status = 'pending'`;
}

export interface SaidRow {
  author: Author;
  said: string;
  at: Date;
}

/** How it began, and the newest before the summary was asked for: long conversations are not read whole. */
export function saidBefore({ botId, conversationId, seq }: EventKey, first: number, last: number): Sql {
  const part = (order: Sql, limit: number) => sql`
    (select seq, author, said, at from assist_event
     where bot_id = ${botId} and conversation_id = ${conversationId} and kind = 'message' and seq < ${seq} and is_sent
     order by ${order} limit ${limit})`;
  return sql`select author, said, at from (${part(sql`seq`, first)} union ${part(sql`seq desc`, last)}) m order by m.seq`;
}

/** By their names, in the order in which they came. */
export function agentsBefore({ botId, conversationId, seq }: EventKey, limit: number): Sql {
  return sql`
    select agent_name as name from assist_event
    where bot_id = ${botId} and conversation_id = ${conversationId} and kind = 'entry' and seq < ${seq}
    group by agent_identity, agent_name order by min(seq) limit ${limit}`;
}

export function keepSummary(
  { botId, conversationId, seq }: EventKey,
  text: string,
  madeBy: 'model' | 'transcript',
  at: Date,
): Sql {
  return sql`
    update assist_summary set status = 'ready', text = ${text}, made_by = ${madeBy}, made_at = ${at}::timestamptz
    where bot_id = ${botId} and conversation_id = ${conversationId} and seq = ${seq} and status = 'pending'`;
}
