import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf, newJsonRows, type RowOf, selectedRow, someColumnsOf } from '../../platform/database/columns.js';
import { join, planned, sql } from '../../platform/database/sql.js';
import { exists, row, rows, type Statement, write } from '../../platform/database/statement.js';
import { andInRange, type ListRange } from '../../platform/list/list-range.js';
import type { Bot } from './bot.entity.js';
import { Conversation, type ConversationKey, type ConversationRow } from './conversation.entity.js';
import type { ConversationState, ConversationStatus } from './conversation-state.js';
import { ConversationEvent } from './conversation-event.entity.js';
import type { NewEvents } from './new-events.js';
import { Summary } from './summary.entity.js';

/** The columns of a conversation and its bot that a hook call needs. */
export type LockedConversation = Pick<ConversationRow, 'state' | 'lastSeq'> & Pick<RowOf<Bot>, 'strict' | 'agentId'>;

export interface ConversationFilter {
  status?: ConversationStatus | undefined;
  agent?: string | undefined;
  text?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  outOfOrder?: boolean | undefined;
}

export class ConversationRepository extends EntityRepository<Conversation> {
  /**
   * Inserts the conversation if it does not exist and locks it, so that the calls of one conversation exclude each other.
   * Answers null if the project has no such bot. The lock on the bot prevents its deletion before the commit.
   */
  lockOrInsert(
    projectId: Id<'project'>,
    { botId, conversationId }: ConversationKey,
    at: Date,
  ): Statement<LockedConversation | null> {
    const conversation = selectedRow(Conversation, {
      botId: sql`bot.id`,
      id: conversationId,
      projectId,
      status: 'waiting',
      state: '',
      lastSeq: 0,
      messages: 0,
      repeats: 0,
      violations: 0,
      startedAt: at,
      lastAt: at,
      activeOn: sql`date_trunc('day', ${at}::timestamptz, 'UTC')`,
    });
    return row<LockedConversation>(planned`
      with bot as (
        select id, strict, agent_id from assist_bot where id = ${botId} and project_id = ${projectId} for key share)
      insert into assist_conversation as c ${conversation} from bot
      on conflict (bot_id, id) do update
        set last_at = greatest(c.last_at, excluded.last_at), active_on = greatest(c.active_on, excluded.active_on)
      returning ${someColumnsOf(Conversation, ['state', 'lastSeq'], 'c')},
                (select strict from bot) as strict, (select agent_id from bot) as "agentId"`);
  }

  /** Writes all effects of a call on a locked conversation in one statement. */
  applyEvents(
    { botId, conversationId }: ConversationKey,
    state: ConversationState,
    events: NewEvents,
    at: Date,
  ): Statement<void> {
    const messages = events.rows.filter(({ kind }) => kind === 'message').length;
    const hasEnded = events.rows.some(({ kind }) => kind === 'end');
    const newEvents = events.rows.map((event) => ({ ...event, botId, conversationId, at, proposal: null }));
    const newSummaries = events.summaries.map((summary) => {
      const pending = { status: 'pending' as const, madeBy: null, text: null, askedAt: at, madeAt: null };
      return { ...summary, ...pending, botId, conversationId };
    });
    return write(planned`
      with kept as (insert into assist_event ${newJsonRows(ConversationEvent, newEvents)}),
      repeated as (
        update assist_event e set repeats = e.repeats + r.times
        from (select seq, count(*)::integer as times from unnest(${events.repeatedSeqs}::integer[]) as one (seq) group by seq) r
        where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = r.seq
          and e.seq <> all(${events.closedSeqs}::integer[])),
      gone as (
        update assist_event e set left_at = ${at}::timestamptz, repeats = e.repeats + coalesce(
          (select count(*) from unnest(${events.repeatedSeqs}::integer[]) as one (seq) where one.seq = e.seq), 0)
        where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = any(${events.closedSeqs}::integer[])),
      asked as (insert into assist_summary ${newJsonRows(Summary, newSummaries)})
      update assist_conversation
      set status = ${state.status}, state = ${JSON.stringify(state)}, last_seq = ${events.lastSeq}, messages = messages + ${messages}::integer,
          repeats = repeats + ${events.repeats}::integer, violations = violations + ${events.violations}::integer,
          ended_at = case when ${hasEnded}::boolean then ${at}::timestamptz else ended_at end
      where bot_id = ${botId} and id = ${conversationId}`);
  }

  byKey({ botId, conversationId }: ConversationKey): Statement<ConversationRow | null> {
    return row<ConversationRow>(
      planned`select ${columnsOf(Conversation)} from assist_conversation
              where bot_id = ${botId} and id = ${conversationId}`,
    );
  }

  listed(botId: Id<'bot'>, filter: ConversationFilter, range: ListRange): Statement<ConversationRow[]> {
    const conditions = [sql`c.bot_id = ${botId}`];
    if (filter.status) conditions.push(sql`c.status = ${filter.status}`);
    if (filter.from) conditions.push(sql`c.started_at >= ${filter.from}::timestamptz`);
    if (filter.to) conditions.push(sql`c.started_at < ${filter.to}::timestamptz`);
    if (filter.outOfOrder !== undefined) conditions.push(sql`(c.violations > 0) = ${filter.outOfOrder}::boolean`);
    if (filter.agent !== undefined) {
      conditions.push(sql`c.id in (
        select conversation_id from assist_event
        where bot_id = ${botId} and kind = 'entry' and agent_identity = ${filter.agent})`);
    }
    if (filter.text !== undefined) {
      conditions.push(sql`c.id in (
        select conversation_id from assist_event
        where bot_id = ${botId} and to_tsvector('simple', said) @@ websearch_to_tsquery('simple', ${filter.text}))`);
    }
    return rows<ConversationRow>(
      sql`select ${columnsOf(Conversation, 'c')} from assist_conversation c where ${join(conditions, ' and ')}
          ${andInRange('id', range)}`,
    );
  }

  /** Deletes the conversation with its events and summaries. Answers whether it existed. */
  delete({ botId, conversationId }: ConversationKey): Statement<boolean> {
    return exists(sql`delete from assist_conversation where bot_id = ${botId} and id = ${conversationId} returning id`);
  }

  /** Answers the number of deleted conversations. */
  deleteSome(botId: Id<'bot'>, limit: number): Statement<number> {
    const deleted = rows(
      sql`delete from assist_conversation where bot_id = ${botId} and id = any(array(
            select id from assist_conversation where bot_id = ${botId} limit ${limit})) returning id`,
    );
    return deleted.as(({ length }) => length);
  }
}
