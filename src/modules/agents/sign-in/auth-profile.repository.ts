import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { someColumnsOf } from '../../../platform/database/columns.js';
import { pageById } from '../../../platform/database/page-by-id.js';
import { planned } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import { AuthProfile, type AuthProfileRow } from './auth-profile.entity.js';
import { UserToken, type UserTokenRow } from './user-token.entity.js';

/** A profile of the app with the sealed tokens of one user. They are null if the user has not signed in there. */
export interface ProfileOfUser extends Pick<AuthProfileRow, 'id' | 'idpName' | 'ssoType' | 'requiresCode'> {
  tokensSealed: UserTokenRow['tokensSealed'] | null;
  expiresAt: UserTokenRow['expiresAt'];
}

export class AuthProfileRepository extends EntityRepository<AuthProfile> {
  inApp(appId: Id<'app'>, profileId: Id<'authProfile'>): Promise<AuthProfile | null> {
    return this.findOne({ id: profileId, app: appId });
  }

  lockInApp(appId: Id<'app'>, profileId: Id<'authProfile'>): Promise<AuthProfile | null> {
    return this.findOne({ id: profileId, app: appId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  byId(profileId: Id<'authProfile'>): Promise<AuthProfile | null> {
    return this.findOne({ id: profileId });
  }

  ofApp(appId: Id<'app'>): Promise<AuthProfile[]> {
    return this.find({ app: appId }, { orderBy: { id: 'asc' } });
  }

  ofUser(appId: Id<'app'>, userId: Id<'user'>): Statement<ProfileOfUser[]> {
    return rows(planned`
      select ${someColumnsOf(AuthProfile, ['id', 'idpName', 'ssoType', 'requiresCode'], 'p')},
        ${someColumnsOf(UserToken, ['tokensSealed', 'expiresAt'], 't')}
      from auth_profile p left join user_token t on t.profile_id = p.id and t.user_id = ${userId}
      where p.app_id = ${appId} order by p.id`);
  }

  page(appId: Id<'app'>, request: PageRequest): Promise<Page<AuthProfile>> {
    return pageById<AuthProfile>(this, { app: appId }, request);
  }
}
