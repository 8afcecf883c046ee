import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Bot } from './bot.entity.js';

export class BotRepository extends EntityRepository<Bot> {
  byId(botId: Id<'bot'>): Promise<Bot | null> {
    return this.findOne({ id: botId });
  }

  lock(botId: Id<'bot'>): Promise<Bot | null> {
    return this.findOne({ id: botId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }
}
