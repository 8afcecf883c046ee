import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { sql } from '../../platform/database/sql.js';
import { exists, type Statement, write } from '../../platform/database/statement.js';
import type { User } from './user.entity.js';

export class UserRepository extends EntityRepository<User> {
  isIn(appId: Id<'app'>, userId: Id<'user'>): Statement<boolean> {
    return exists(sql`select from app_user where id = ${userId} and app_id = ${appId}`);
  }

  delete(userId: Id<'user'>): Statement<void> {
    return write(sql`delete from app_user where id = ${userId}`);
  }
}
