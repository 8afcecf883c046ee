import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { columnsWith, newRow } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../../platform/database/statement.js';
import { Message, type MessageRow, type MessageStatus } from './message.entity.js';
import type { SubscriptionRow } from '../subscriptions/subscription.entity.js';

/** A message, with the members of its subscription that decide about its callbacks. */
export interface MessageWithReceiver extends MessageRow {
  /** The events of the subscription; null if it is gone. */
  receiverEvents: SubscriptionRow['events'] | null;
  receiverProvedAt: SubscriptionRow['provedAt'];
}

const OF_RECEIVER = raw(
  `(select events from webhook_subscription where id = webhook_message.subscription_id) as "receiverEvents",
   (select proved_at from webhook_subscription where id = webhook_message.subscription_id) as "receiverProvedAt"`,
);

/** The status of an unfinished message is that of its run, because only the run is written while the turn goes on. */
const STATUS = sql`case when finished_at is not null then status else coalesce((
    select case state when 'running' then 'processing' when 'suspended' then 'suspended' end
    from run where run.id = run_id), 'accepted') end`;

const columns = () => columnsWith(Message, { status: STATUS });

export class MessageRepository extends EntityRepository<Message> {
  add(message: MessageRow): Statement<void> {
    return write(planned`insert into webhook_message ${newRow(Message, message)}`);
  }

  byId(messageId: Id<'message'>): Statement<MessageRow | null> {
    return one(sql`id = ${messageId}`);
  }

  inProject(projectId: Id<'project'>, messageId: Id<'message'>): Statement<MessageRow | null> {
    return one(sql`id = ${messageId} and project_id = ${projectId}`);
  }

  /** Returns null for a message that has ended, because no further callbacks are sent about it. */
  underWay(messageId: Id<'message'>): Statement<MessageWithReceiver | null> {
    return row<MessageWithReceiver>(
      planned`select ${columns()}, ${OF_RECEIVER} from webhook_message where id = ${messageId} and finished_at is null`,
    );
  }

  /** Ends a message. Returns null if it had already ended; it then stays as it is, and no callbacks are sent. */
  end(
    messageId: Id<'message'>,
    status: Extract<MessageStatus, 'completed' | 'failed'>,
    error: { code: string; message: string } | null,
  ): Statement<MessageWithReceiver | null> {
    return row<MessageWithReceiver>(
      planned`update webhook_message set status = ${status}, error_code = ${error?.code ?? null},
                error_message = ${error?.message ?? null}, finished_at = ${clock.now()}
              where id = ${messageId} and finished_at is null returning ${columns()}, ${OF_RECEIVER}`,
    );
  }

  /** Deletes the messages of a session, and returns their ids. */
  deleteOfSession(sessionId: Id<'session'>): Statement<Id<'message'>[]> {
    return rows<Pick<MessageRow, 'id'>>(
      sql`delete from webhook_message where session_id = ${sessionId} returning id`,
    ).as((deleted) => deleted.map(({ id }) => id));
  }
}

function one(where: Sql): Statement<MessageRow | null> {
  return row<MessageRow>(planned`select ${columns()} from webhook_message where ${where}`);
}
