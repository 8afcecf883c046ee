import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { SessionSettings } from './session-settings.entity.js';

export class SessionSettingsRepository extends EntityRepository<SessionSettings> {
  lockOfApp(appId: Id<'app'>): Promise<SessionSettings | null> {
    return this.findOne({ app: appId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }
}
