import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Message } from './message.entity.js';

export class MessageRepository extends EntityRepository<Message> {
  byId(messageId: Id<'message'>): Promise<Message | null> {
    return this.findOne({ id: messageId });
  }

  inProject(projectId: Id<'project'>, messageId: Id<'message'>): Promise<Message | null> {
    return this.findOne({ id: messageId, projectId });
  }
}
