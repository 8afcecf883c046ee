import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { Bot } from './bot.entity.js';

export class BotRepository extends EntityRepository<Bot> {
  byId(botId: Id<'bot'>): Promise<Bot | null> {
    return this.findOne({ id: botId });
  }

  lock(botId: Id<'bot'>): Promise<Bot | null> {
    return this.findOne({ id: botId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<Bot>> {
    return pageById<Bot>(this, { project: projectId }, request);
  }
}
