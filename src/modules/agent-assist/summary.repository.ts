import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, type RowOf } from '../../platform/database/columns.js';
import { planned, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../platform/database/statement.js';
import type { EventKey } from './agent-assist.jobs.js';
import { Bot } from './bot.entity.js';
import type { ConversationKey } from './conversation.entity.js';
import { Summary, type SummaryRow } from './summary.entity.js';

/** A summary that is not made yet, with the columns of its bot. */
export type PendingSummary = SummaryRow & RowOf<Bot>;

export class SummaryRepository extends EntityRepository<Summary> {
  newest({ botId, conversationId }: ConversationKey, limit: number): Statement<SummaryRow[]> {
    return rows<SummaryRow>(
      planned`select ${columnsOf(Summary)} from assist_summary
              where bot_id = ${botId} and conversation_id = ${conversationId} order by seq desc limit ${limit}`,
    );
  }

  /** Answers null if the summary is ready, or its bot or conversation was deleted. */
  pending({ botId, conversationId, seq }: EventKey): Statement<PendingSummary | null> {
    return row<PendingSummary>(
      sql`select ${columnsOf(Summary, 's')}, ${columnsOf(Bot, 'b')}
          from assist_summary s join assist_bot b on b.id = s.bot_id
          where s.bot_id = ${botId} and s.conversation_id = ${conversationId} and s.seq = ${seq} and s.status = 'pending'`,
    );
  }

  /** Locks the summary, so that only this transaction can store its text. */
  lock({ botId, conversationId, seq }: EventKey): Statement<void> {
    return write(
      sql`select from assist_summary where bot_id = ${botId} and conversation_id = ${conversationId} and seq = ${seq}
          for no key update`,
    );
  }

  /** Leaves one that was made meanwhile as it is. */
  keep(
    { botId, conversationId, seq }: EventKey,
    { text, madeBy }: { text: string; madeBy: 'model' | 'transcript' },
    at: Date,
  ): Statement<void> {
    return write(
      sql`update assist_summary set status = 'ready', text = ${text}, made_by = ${madeBy}, made_at = ${at}::timestamptz
          where bot_id = ${botId} and conversation_id = ${conversationId} and seq = ${seq} and status = 'pending'`,
    );
  }
}
