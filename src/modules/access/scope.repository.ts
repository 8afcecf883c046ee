import { EntityRepository, LockMode, raw } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { Scope } from './scope.entity.js';

export class ScopeRepository extends EntityRepository<Scope> {
  inApp(appId: Id<'app'>, scopeId: Id<'scope'>): Promise<Scope | null> {
    return this.findOne({ id: scopeId, app: appId });
  }

  /** For changing it, or what is counted in it: others wait until the transaction ends. */
  lockInApp(appId: Id<'app'>, scopeId: Id<'scope'>): Promise<Scope | null> {
    return this.findOne({ id: scopeId, app: appId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Names are the same without regard to case, as the database sees it. */
  lockByName(appId: Id<'app'>, name: string): Promise<Scope | null> {
    return this.findOne(
      { app: appId, [raw((alias) => `lower(${alias}.name)`)]: raw('lower(?)', [name]) },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
  }

  page(appId: Id<'app'>, request: PageRequest): Promise<Page<Scope>> {
    return pageById<Scope>(this, { app: appId }, request);
  }
}
