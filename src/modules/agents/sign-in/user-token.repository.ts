import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../../platform/database/statement.js';
import { UserToken, type UserTokenRow } from './user-token.entity.js';

export class UserTokenRepository extends EntityRepository<UserToken> {
  /** Replaces the earlier tokens of the same user and profile. */
  keep(token: UserTokenRow): Statement<void> {
    return write(
      sql`insert into user_token ${newRow(UserToken, token)}
          on conflict (id) do update set tokens_sealed = excluded.tokens_sealed, expires_at = excluded.expires_at,
            updated_at = excluded.updated_at`,
    );
  }

  ofUser(userId: Id<'user'>): Statement<UserTokenRow[]> {
    return rows(sql`select ${columnsOf(UserToken)} from user_token where user_id = ${userId}`);
  }

  lock(id: string): Statement<UserTokenRow | null> {
    return row(sql`select ${columnsOf(UserToken)} from user_token where id = ${id} for update`);
  }

  /** Limits how long each statement of the transaction waits for a lock. */
  waitAtMost(timeoutMs: number): Statement<void> {
    return write(sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`);
  }
}
