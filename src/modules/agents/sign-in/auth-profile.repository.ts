import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { AuthProfile } from './auth-profile.entity.js';

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

  async isInProject(projectId: Id<'project'>, idpName: string): Promise<boolean> {
    return (await this.count({ app: { project: projectId }, idpName })) > 0;
  }

  ofApp(appId: Id<'app'>): Promise<AuthProfile[]> {
    return this.find({ app: appId }, { orderBy: { id: 'asc' } });
  }
}
