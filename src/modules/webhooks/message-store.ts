import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { columns, planned, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { Message, MessageStatus } from './message.js';

type NewMessage = Omit<Message, 'status' | 'error' | 'createdAt' | 'finishedAt'>;

const MESSAGE = columns<Message>({
  id: 'id',
  projectId: 'project_id',
  subscriptionId: 'subscription_id',
  runId: 'run_id',
  sessionId: 'session_id',
  sessionKey: 'session_key',
  metadata: 'metadata',
  status: 'status',
  error: `case when error_code is not null
            then json_build_object('code', error_code, 'message', coalesce(error_message, '')) end`,
  createdAt: 'created_at',
  finishedAt: 'finished_at',
});

/** The statements behind messages. */
@Injectable()
export class MessageStore {
  constructor(private readonly statements: Statements) {}

  async insert(em: EntityManager, wish: NewMessage): Promise<Message> {
    const message: Message = { ...wish, status: 'accepted', error: null, createdAt: clock.now(), finishedAt: null };
    const { id, projectId, subscriptionId, runId, sessionId, sessionKey, metadata, createdAt } = message;
    await this.statements.writeIn(
      em,
      planned`
      insert into webhook_message (id, project_id, subscription_id, run_id, session_id, session_key, metadata, status, created_at)
      values (${id}, ${projectId}, ${subscriptionId}, ${runId}, ${sessionId}, ${sessionKey}, ${metadata}, 'accepted', ${createdAt})`,
    );
    return message;
  }

  byId(messageId: Id<'message'>): Promise<Message | null> {
    return this.find(sql`id = ${messageId}`);
  }

  inProject(projectId: Id<'project'>, messageId: Id<'message'>): Promise<Message | null> {
    return this.find(sql`id = ${messageId} and project_id = ${projectId}`);
  }

  /** What has ended stays so, and has nobody to tell. */
  goOn(em: EntityManager, messageId: Id<'message'>, status: 'processing' | 'suspended'): Promise<Message | null> {
    return this.changeAlive(em, messageId, sql`status = ${status}`);
  }

  end(
    em: EntityManager,
    messageId: Id<'message'>,
    status: Extract<MessageStatus, 'completed' | 'failed'>,
    error: Message['error'],
  ): Promise<Message | null> {
    return this.changeAlive(
      em,
      messageId,
      sql`status = ${status}, error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null},
          finished_at = ${clock.now()}`,
    );
  }

  private async find(where: Sql): Promise<Message | null> {
    const [message] = await this.statements.run<Message>(
      planned`select ${MESSAGE} from webhook_message where ${where}`,
    );
    return message ?? null;
  }

  private async changeAlive(em: EntityManager, messageId: Id<'message'>, change: Sql): Promise<Message | null> {
    const [message] = await this.statements.runIn<Message>(
      em,
      planned`update webhook_message set ${change} where id = ${messageId} and finished_at is null returning ${MESSAGE}`,
    );
    return message ?? null;
  }
}
