import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import { columnsOf } from '../../platform/database/columns.js';
import { sql } from '../../platform/database/sql.js';
import { exists, rows, type Statement, write } from '../../platform/database/statement.js';
import { User, type UserRow } from './user.entity.js';

export class UserRepository extends EntityRepository<User> {
  /** Reads a page of an app's users, or the one of a reference. */
  page(appId: Id<'app'>, reference: string | undefined, { cursor, limit }: PageRequest): Statement<Page<UserRow>> {
    const wanted = reference ?? null;
    return rows<UserRow>(
      sql`select ${columnsOf(User)} from app_user
          where app_id = ${appId} and (${wanted}::text is null or reference = ${wanted}) and id > ${cursor ?? ''}
          order by id limit ${limit + 1}`,
    ).as((users) => cutPage(users, limit));
  }

  isIn(appId: Id<'app'>, userId: Id<'user'>): Statement<boolean> {
    return exists(sql`select from app_user where id = ${userId} and app_id = ${appId}`);
  }

  delete(userId: Id<'user'>): Statement<void> {
    return write(sql`delete from app_user where id = ${userId}`);
  }
}
