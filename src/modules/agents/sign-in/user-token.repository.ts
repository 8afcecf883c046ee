import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { columnsOf, newRow, someColumnsOf } from '../../../platform/database/columns.js';
import { planned, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../../platform/database/statement.js';
import { AuthProfile, type AuthProfileRow } from './auth-profile.entity.js';
import { UserToken, type UserTokenRow } from './user-token.entity.js';

/** A profile of the app with the sealed tokens of one user. They are null if the user has not signed in there. */
export interface ProfileOfUser extends Pick<AuthProfileRow, 'id' | 'idpName' | 'ssoType' | 'requiresCode'> {
  tokensSealed: UserTokenRow['tokensSealed'] | null;
  expiresAt: UserTokenRow['expiresAt'];
}

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

  /** Lists all profiles of the app, with the user's tokens. */
  ofUserByProfile(appId: Id<'app'>, userId: Id<'user'>): Statement<ProfileOfUser[]> {
    return rows(planned`
      select ${someColumnsOf(AuthProfile, ['id', 'idpName', 'ssoType', 'requiresCode'], 'p')},
        ${someColumnsOf(UserToken, ['tokensSealed', 'expiresAt'], 't')}
      from auth_profile p left join user_token t on t.profile_id = p.id and t.user_id = ${userId}
      where p.app_id = ${appId} order by p.id`);
  }

  lock(id: string): Statement<UserTokenRow | null> {
    return row(sql`select ${columnsOf(UserToken)} from user_token where id = ${id} for update`);
  }

  /** Limits how long each statement of the transaction waits for a lock. */
  waitAtMost(timeoutMs: number): Statement<void> {
    return write(sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`);
  }
}
