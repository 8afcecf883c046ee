import { EntityRepository, LockMode, sql } from '@mikro-orm/postgresql';
import { isId } from '../../kernel/ids.js';
import type { Scope } from './scope.entity.js';

type AppId = Scope['app']['id'];

export class ScopeRepository extends EntityRepository<Scope> {
  async inApp(appId: AppId, scopeId: string): Promise<Scope | null> {
    return isId('scope', scopeId) ? this.findOne({ id: scopeId, app: appId }) : null;
  }

  /** For changing it, or what is counted in it: others wait until the transaction ends. */
  async lockInApp(appId: AppId, scopeId: string): Promise<Scope | null> {
    if (!isId('scope', scopeId)) return null;
    return this.findOne({ id: scopeId, app: appId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Names are the same without regard to case. */
  lockByName(appId: AppId, name: string): Promise<Scope | null> {
    return this.findOne(
      { app: appId, [sql.lower('name')]: name.toLowerCase() },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
  }

  /** In the order they were made, `limit` and one more. */
  listAfter(appId: AppId, cursor: string | undefined, limit: number): Promise<Scope[]> {
    const after = cursor === undefined ? {} : { id: { $gt: cursor as Scope['id'] } };
    return this.find({ app: appId, ...after }, { orderBy: { id: 'asc' }, limit: limit + 1 });
  }
}
