import { EntityRepository, LockMode, raw } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Scope } from './scope.entity.js';

export class ScopeRepository extends EntityRepository<Scope> {
  inApp(appId: Id<'app'>, scopeId: Id<'scope'>): Promise<Scope | null> {
    return this.findOne({ id: scopeId, app: appId });
  }

  /** Locks the scope before it or the number of its keys changes, so that limits are checked against what is committed. */
  lockInApp(appId: Id<'app'>, scopeId: Id<'scope'>): Promise<Scope | null> {
    return this.findOne({ id: scopeId, app: appId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** The database compares the names without regard to case, as the unique index does. */
  lockByName(appId: Id<'app'>, name: string): Promise<Scope | null> {
    return this.findOne(
      { app: appId, [raw((alias) => `lower(${alias}.name)`)]: raw('lower(?)', [name]) },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
  }
}
