import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../../platform/database/statement.js';
import { Message, type MessageRow, type MessageStatus } from './message.entity.js';
import type { SubscriptionRow } from '../subscriptions/subscription.entity.js';

/** A message that has changed, with what its subscription says of whom that is told. */
export interface ToldMessage extends MessageRow {
  /** Null where the subscription is gone. */
  receiverEvents: SubscriptionRow['events'] | null;
  receiverProvedAt: SubscriptionRow['provedAt'];
}

const OF_RECEIVER = raw(
  `(select events from webhook_subscription where id = webhook_message.subscription_id) as "receiverEvents",
   (select proved_at from webhook_subscription where id = webhook_message.subscription_id) as "receiverProvedAt"`,
);

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

  /** Answers with nothing for a message that has ended: it stays so, and nobody is to be told. */
  goOn(messageId: Id<'message'>, status: 'processing' | 'suspended'): Statement<ToldMessage | null> {
    return changeAlive(messageId, sql`status = ${status}`);
  }

  end(
    messageId: Id<'message'>,
    status: Extract<MessageStatus, 'completed' | 'failed'>,
    error: { code: string; message: string } | null,
  ): Statement<ToldMessage | null> {
    return changeAlive(
      messageId,
      sql`status = ${status}, error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null},
          finished_at = ${clock.now()}`,
    );
  }

  /** Answers with the ids of those that it deleted. */
  deleteOfSession(sessionId: Id<'session'>): Statement<Id<'message'>[]> {
    return rows<Pick<MessageRow, 'id'>>(
      sql`delete from webhook_message where session_id = ${sessionId} returning id`,
    ).as((deleted) => deleted.map(({ id }) => id));
  }
}

function one(where: Sql): Statement<MessageRow | null> {
  return row<MessageRow>(planned`select ${columnsOf(Message)} from webhook_message where ${where}`);
}

function changeAlive(messageId: Id<'message'>, change: Sql): Statement<ToldMessage | null> {
  return row<ToldMessage>(
    planned`update webhook_message set ${change} where id = ${messageId} and finished_at is null
            returning ${columnsOf(Message)}, ${OF_RECEIVER}`,
  );
}
