import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import { KeepsOfSessions, type Session, SessionKeeper } from '../sessions/sessions.port.js';

/** What was sent and answered over the channel. Callbacks that are still promised are kept, and go when they end. */
@KeepsOfSessions()
export class MessagesOfSessions extends SessionKeeper {
  constructor(private readonly statements: Statements) {
    super();
  }

  async forget(em: EntityManager, { id }: Session) {
    const messages = await this.statements.runIn<{ id: string }>(
      em,
      sql`delete from webhook_message where session_id = ${id} returning id`,
    );
    const ids = messages.map(({ id: messageId }) => messageId);
    await this.statements.runIn(
      em,
      sql`update webhook_delivery set is_forgotten = true where message_id = any(${ids}) and status = 'PENDING'`,
    );
    await this.statements.runIn(
      em,
      sql`delete from webhook_delivery where message_id = any(${ids}) and not is_forgotten`,
    );
    return { messages: ids.length };
  }
}
