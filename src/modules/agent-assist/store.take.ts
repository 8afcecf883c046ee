import type { Id } from '../../kernel/ids.js';
import { planned, type Sql } from '../../platform/database/sql.js';
import type { ConversationStatus } from './conversation-state.js';
import type { NewEvents } from './new-events.js';

export interface HeldConversation {
  /** JSON; empty of a new one. */
  state: string;
  last_seq: number;
  strict: boolean;
  agent_id: string | null;
}

/** Where a bot keeps a conversation. */
export interface ConversationKey {
  botId: Id<'bot'>;
  conversationId: string;
}

/**
 * Makes the conversation where there is none, and holds it: calls of one conversation take turns. Nothing where the
 * project has no such bot; the bot stays for as long.
 */
export function holdConversation(projectId: string, { botId, conversationId }: ConversationKey, at: Date): Sql {
  return planned`
    with bot as (
      select id, strict, agent_id from assist_bot where id = ${botId} and project_id = ${projectId} for key share)
    insert into assist_conversation as c (bot_id, id, project_id, status, state, last_seq, messages, repeats, violations,
                                          started_at, last_at, active_on)
    select bot.id, ${conversationId}::text, ${projectId}::text, 'waiting', '', 0, 0, 0, 0, ${at}::timestamptz, ${at}::timestamptz,
           date_trunc('day', ${at}::timestamptz, 'UTC')
    from bot
    on conflict (bot_id, id) do update
      set last_at = greatest(c.last_at, excluded.last_at), active_on = greatest(c.active_on, excluded.active_on)
    returning state, last_seq, (select strict from bot) as strict, (select agent_id from bot) as agent_id`;
}

/** All that a call does to a conversation that is held, in one statement. */
export function writeEvents(
  { botId, conversationId }: ConversationKey,
  status: ConversationStatus,
  state: string,
  events: NewEvents,
  at: Date,
): Sql {
  const { rows, summaries } = events;
  const messages = rows.filter(({ kind }) => kind === 'message').length;
  const hasEnded = rows.some(({ kind }) => kind === 'end');
  return planned`
    with kept as (
      insert into assist_event (bot_id, conversation_id, seq, kind, at, agent_identity, agent_name, transfer_type, author,
                                said, is_sent, language, active, left_at, violations, repeats, payload, call)
      select ${botId}::text, ${conversationId}::text, seq, kind, ${at}::timestamptz, agent_identity, agent_name, transfer_type, author,
             said, is_sent, language, array(select json_array_elements_text(active)), left_at,
             array(select json_array_elements_text(violations)), repeats, payload, call
      from json_to_recordset(${JSON.stringify(rows.map(toColumns))}::json) as row (
        seq integer, kind text, agent_identity text, agent_name text, transfer_type text, author text, said text,
        is_sent boolean, language text, active json, left_at timestamptz, violations json, repeats integer, payload text,
        call text)),
    repeated as (
      update assist_event e set repeats = e.repeats + r.times
      from (select seq, count(*)::integer as times from unnest(${events.repeated}::integer[]) as one (seq) group by seq) r
      where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = r.seq
        and e.seq <> all(${events.left}::integer[])),
    gone as (
      update assist_event e set left_at = ${at}::timestamptz, repeats = e.repeats + coalesce(
        (select count(*) from unnest(${events.repeated}::integer[]) as one (seq) where one.seq = e.seq), 0)
      where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = any(${events.left}::integer[])),
    asked as (
      insert into assist_summary (bot_id, conversation_id, seq, language, locale, type, status, asked_at)
      select ${botId}::text, ${conversationId}::text, seq, language, locale, type, 'pending', ${at}::timestamptz
      from json_to_recordset(${JSON.stringify(summaries)}::json) as row (seq integer, language text, locale text, type text))
    update assist_conversation
    set status = ${status}, state = ${state}, last_seq = ${events.lastSeq}, messages = messages + ${messages}::integer,
        repeats = repeats + ${events.repeats}::integer, violations = violations + ${events.violations}::integer,
        ended_at = case when ${hasEnded}::boolean then ${at}::timestamptz else ended_at end
    where bot_id = ${botId} and id = ${conversationId}`;
}

function toColumns(row: NewEvents['rows'][number]): object {
  return {
    seq: row.seq,
    kind: row.kind,
    agent_identity: row.agentIdentity,
    agent_name: row.agentName,
    transfer_type: row.transferType,
    author: row.author,
    said: row.said,
    is_sent: row.isSent,
    language: row.language,
    active: row.active ?? [],
    left_at: row.leftAt,
    violations: row.violations,
    repeats: row.repeats,
    payload: row.payload,
    call: row.call,
  };
}
