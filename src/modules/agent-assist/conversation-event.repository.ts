import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf, type RowOf } from '../../platform/database/columns.js';
import { planned, type Sql, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement } from '../../platform/database/statement.js';
import { andInRange, type ListRange } from '../../platform/list/list-range.js';
import type { EventKey } from './agent-assist.jobs.js';
import { Bot } from './bot.entity.js';
import { ConversationEvent, type ConversationEventRow, type MessageRow } from './conversation-event.entity.js';
import type { ConversationKey } from './conversation.entity.js';

export type TranscriptRow = Pick<MessageRow, 'author' | 'said' | 'at'>;

/** A message with the columns of its bot. */
export type MessageOfBot = MessageRow & RowOf<Bot>;

export class ConversationEventRepository extends EntityRepository<ConversationEvent> {
  timeline(key: ConversationKey, range: ListRange): Statement<ConversationEventRow[]> {
    return eventsWhere(key, sql`true`, range);
  }

  messages(key: ConversationKey, range: ListRange): Statement<MessageRow[]> {
    return eventsWhere<MessageRow>(key, sql`kind = 'message'`, range);
  }

  entries(key: ConversationKey, range: ListRange): Statement<ConversationEventRow[]> {
    return eventsWhere(key, sql`kind = 'entry'`, range);
  }

  violations(key: ConversationKey, range: ListRange): Statement<ConversationEventRow[]> {
    return eventsWhere(key, sql`violations <> '{}'`, range);
  }

  /** Reads the first messages and the last ones before the event, so that the cost of a long conversation is bounded. */
  messagesBefore({ botId, conversationId, seq }: EventKey, first: number, last: number): Statement<TranscriptRow[]> {
    const part = (order: Sql, limit: number) => sql`
      (select seq, author, said, at from assist_event
       where bot_id = ${botId} and conversation_id = ${conversationId} and kind = 'message' and seq < ${seq} and is_sent
       order by ${order} limit ${limit})`;
    return rows<TranscriptRow>(
      sql`select author, said, at from (${part(sql`seq`, first)} union ${part(sql`seq desc`, last)}) m order by m.seq`,
    );
  }

  /** Reads the names of the agents, in the order in which they entered. */
  agentsBefore({ botId, conversationId, seq }: EventKey, limit: number): Statement<string[]> {
    const named = rows<{ name: string }>(
      sql`select agent_name as name from assist_event
          where bot_id = ${botId} and conversation_id = ${conversationId} and kind = 'entry' and seq < ${seq}
          group by agent_identity, agent_name order by min(seq) limit ${limit}`,
    );
    return named.as((agents) => agents.map(({ name }) => name));
  }

  /** Answers null if the message has a proposal, its bot or conversation was deleted, or the bot has no agent any more. */
  toAnswer({ botId, conversationId, seq }: EventKey): Statement<(MessageOfBot & { agentId: Id<'agent'> }) | null> {
    return row<MessageOfBot & { agentId: Id<'agent'> }>(
      sql`select ${columnsOf(ConversationEvent, 'e')}, ${columnsOf(Bot, 'b')}
          from assist_event e join assist_bot b on b.id = e.bot_id
          where e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = ${seq} and e.proposal is null
            and b.agent_id is not null`,
    );
  }

  /** Answers null if the message already has a proposal, or its bot or conversation was deleted. */
  keepProposal({ botId, conversationId, seq }: EventKey, text: string): Statement<MessageOfBot | null> {
    return row<MessageOfBot>(
      sql`update assist_event e set proposal = ${text}
          from assist_bot b
          where b.id = e.bot_id and e.bot_id = ${botId} and e.conversation_id = ${conversationId} and e.seq = ${seq}
            and e.proposal is null
          returning ${columnsOf(ConversationEvent, 'e')}, ${columnsOf(Bot, 'b')}`,
    );
  }
}

function eventsWhere<Row extends ConversationEventRow>(
  { botId, conversationId }: ConversationKey,
  condition: Sql,
  range: ListRange,
): Statement<Row[]> {
  return rows<Row>(
    planned`select ${columnsOf(ConversationEvent)} from assist_event
            where bot_id = ${botId} and conversation_id = ${conversationId} and ${condition} ${andInRange('seq', range)}`,
  );
}
