import { EntityRepository } from '@mikro-orm/postgresql';
import { isId } from '../../kernel/ids.js';
import type { ApiKey } from './api-key.entity.js';
import type { Scope } from './scope.entity.js';

type AppId = Scope['app']['id'];

export class ApiKeyRepository extends EntityRepository<ApiKey> {
  /** Also one whose revocation was begun and not ended: revoking it again ends it. */
  async inApp(appId: AppId, keyId: string): Promise<ApiKey | null> {
    return isId('apiKey', keyId) ? this.findOne({ id: keyId, scope: { app: appId } }, { populate: ['scope'] }) : null;
  }

  async liveInApp(appId: AppId, keyId: string): Promise<ApiKey | null> {
    if (!isId('apiKey', keyId)) return null;
    return this.findOne(
      { id: keyId, scope: { app: appId }, revokedAt: null },
      { populate: ['scope', 'use', 'values'] },
    );
  }

  ofScope(scopeId: Scope['id']): Promise<ApiKey[]> {
    return this.find({ scope: scopeId });
  }

  countLive(scopeId: Scope['id']): Promise<number> {
    return this.count({ scope: scopeId, revokedAt: null });
  }

  /** In the order they were made, `limit` and one more. */
  listAfter(appId: AppId, cursor: string | undefined, limit: number): Promise<ApiKey[]> {
    const after = cursor === undefined ? {} : { id: { $gt: cursor as ApiKey['id'] } };
    return this.find(
      { scope: { app: appId }, revokedAt: null, ...after },
      { populate: ['scope', 'use'], orderBy: { id: 'asc' }, limit: limit + 1 },
    );
  }
}
