import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { ApiKey } from './api-key.entity.js';

export class ApiKeyRepository extends EntityRepository<ApiKey> {
  /** Also one whose revocation was begun and not ended: revoking it again ends it. */
  inApp(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey | null> {
    return this.findOne({ id: keyId, scope: { app: appId } }, { populate: ['scope'] });
  }

  liveInApp(appId: Id<'app'>, keyId: Id<'apiKey'>): Promise<ApiKey | null> {
    return this.findOne(
      { id: keyId, scope: { app: appId }, revokedAt: null },
      { populate: ['scope', 'use', 'values'] },
    );
  }

  /** For changing its values: others who would wait. Whoever acts with the key holds its row already and does not. */
  async lock(keyId: Id<'apiKey'>): Promise<void> {
    await this.getEntityManager().execute('select 1 from api_key where id = ? for no key update', [keyId]);
  }

  ofScope(scopeId: Id<'scope'>): Promise<ApiKey[]> {
    return this.find({ scope: scopeId });
  }

  countLive(scopeId: Id<'scope'>): Promise<number> {
    return this.count({ scope: scopeId, revokedAt: null });
  }

  page(appId: Id<'app'>, request: PageRequest): Promise<Page<ApiKey>> {
    return pageById<ApiKey>(this, { scope: { app: appId }, revokedAt: null }, request, ['scope', 'use']);
  }
}
