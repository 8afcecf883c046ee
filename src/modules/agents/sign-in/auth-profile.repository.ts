import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { pageById } from '../../../platform/database/page-by-id.js';
import { planned } from '../../../platform/database/sql.js';
import { rows, type Statement } from '../../../platform/database/statement.js';
import type { AuthProfile } from './auth-profile.entity.js';

/** A profile of the app, and the sealed tokens that a user has of it: null where the user has none. */
export interface ProfileOfUser {
  profileId: Id<'authProfile'>;
  idpName: string;
  ssoType: string;
  tokensSealed: string | null;
  expiresAt: Date | null;
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
    return rows(
      planned`select p.id as "profileId", p.idp_name as "idpName", p.sso_type as "ssoType",
                t.tokens_sealed as "tokensSealed", t.expires_at as "expiresAt"
              from auth_profile p left join user_token t on t.profile_id = p.id and t.user_id = ${userId}
              where p.app_id = ${appId} order by p.id`,
    );
  }

  page(appId: Id<'app'>, request: PageRequest): Promise<Page<AuthProfile>> {
    return pageById<AuthProfile>(this, { app: appId }, request);
  }
}
