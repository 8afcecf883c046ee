import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { sql } from '../../platform/database/sql.js';
import { exists, type Statement } from '../../platform/database/statement.js';
import type { App } from './app.entity.js';

export class AppRepository extends EntityRepository<App> {
  byId(appId: Id<'app'>): Promise<App | null> {
    return this.findOne({ id: appId });
  }

  /** Locks the app until the commit and answers whether it exists. Rows that refer to it can be written meanwhile. */
  lock(appId: Id<'app'>): Statement<boolean> {
    return exists(sql`select from app where id = ${appId} for no key update`);
  }

  withEnvironments(appId: Id<'app'>): Promise<App | null> {
    return this.findOne(
      { id: appId },
      { populate: ['environments'], populateOrderBy: { environments: { name: 'asc' } } },
    );
  }
}
