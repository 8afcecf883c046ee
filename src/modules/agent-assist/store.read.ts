import { join, planned, type Sql, sql } from '../../platform/database/sql.js';
import type { ConversationStatus, TransferType } from './conversation-state.js';
import type { Author } from './hooks.schema.js';
import type { EventKind } from './new-events.js';
import type { Violation } from './violations.js';
import type { ConversationKey } from './store.take.js';

export interface ConversationRow {
  id: string;
  status: ConversationStatus;
  state: string;
  last_seq: number;
  messages: number;
  repeats: number;
  violations: number;
  started_at: Date;
  last_at: Date;
  ended_at: Date | null;
}

export interface EventRow {
  seq: number;
  kind: EventKind;
  at: Date;
  agent_identity: string | null;
  agent_name: string | null;
  transfer_type: TransferType | null;
  author: Author | null;
  said: string | null;
  is_sent: boolean | null;
  language: string | null;
  active: string[] | null;
  left_at: Date | null;
  violations: Violation[];
  repeats: number;
  payload: string;
  call: string | null;
  proposal: string | null;
}

export interface SummaryRow {
  seq: number;
  language: string;
  locale: string;
  type: string;
  status: 'pending' | 'ready';
  made_by: 'model' | 'transcript' | null;
  text: string | null;
  asked_at: Date;
  made_at: Date | null;
}

/** Which events of a conversation: those behind a number, in order. */
export interface EventsWanted {
  after: number;
  limit: number;
}

const CONVERSATION = sql`id, status, state, last_seq, messages, repeats, violations, started_at, last_at, ended_at`;
const EVENT = sql`seq, kind, at, agent_identity, agent_name, transfer_type, author, said, is_sent, language, active,
                  left_at, violations, repeats, payload, call, proposal`;

export function oneConversation({ botId, conversationId }: ConversationKey): Sql {
  return planned`select ${CONVERSATION} from assist_conversation where bot_id = ${botId} and id = ${conversationId}`;
}

export interface ConversationFilter {
  status?: ConversationStatus | undefined;
  agent?: string | undefined;
  text?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  outOfOrder?: boolean | undefined;
}

/** The newest first. */
export function conversationsOf(
  botId: string,
  filter: ConversationFilter,
  behind: { startedAt: Date; id: string } | undefined,
  limit: number,
): Sql {
  const conditions = [sql`c.bot_id = ${botId}`];
  if (behind) conditions.push(sql`(c.started_at, c.id) < (${behind.startedAt}::timestamptz, ${behind.id}::text)`);
  if (filter.status) conditions.push(sql`c.status = ${filter.status}`);
  if (filter.from) conditions.push(sql`c.started_at >= ${filter.from}::timestamptz`);
  if (filter.to) conditions.push(sql`c.started_at < ${filter.to}::timestamptz`);
  if (filter.outOfOrder !== undefined) conditions.push(sql`(c.violations > 0) = ${filter.outOfOrder}::boolean`);
  if (filter.agent !== undefined) {
    conditions.push(sql`c.id in (
      select conversation_id from assist_event where bot_id = ${botId} and kind = 'entry' and agent_identity = ${filter.agent})`);
  }
  if (filter.text !== undefined) {
    conditions.push(sql`c.id in (
      select conversation_id from assist_event
      where bot_id = ${botId} and to_tsvector('simple', said) @@ websearch_to_tsquery('simple', ${filter.text}))`);
  }
  return sql`
    select ${CONVERSATION} from assist_conversation c where ${join(conditions, ' and ')}
    order by c.started_at desc, c.id desc limit ${limit}`;
}

export function timelineOf(key: ConversationKey, wanted: EventsWanted): Sql {
  return eventsWhere(key, sql`true`, wanted);
}

export function messagesOf(key: ConversationKey, wanted: EventsWanted): Sql {
  return eventsWhere(key, sql`kind = 'message'`, wanted);
}

export function entriesOf(key: ConversationKey, wanted: EventsWanted): Sql {
  return eventsWhere(key, sql`kind = 'entry'`, wanted);
}

export function violationsOf(key: ConversationKey, wanted: EventsWanted): Sql {
  return eventsWhere(key, sql`violations <> '{}'`, wanted);
}

function eventsWhere({ botId, conversationId }: ConversationKey, condition: Sql, { after, limit }: EventsWanted): Sql {
  return planned`
    select ${EVENT} from assist_event
    where bot_id = ${botId} and conversation_id = ${conversationId} and ${condition} and seq > ${after}
    order by seq limit ${limit}`;
}

export function summariesOf({ botId, conversationId }: ConversationKey, limit: number): Sql {
  return planned`
    select seq, language, locale, type, status, made_by, text, asked_at, made_at from assist_summary
    where bot_id = ${botId} and conversation_id = ${conversationId} order by seq desc limit ${limit}`;
}
