import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { AdminKey } from './admin-key.entity.js';

export class AdminKeyRepository extends EntityRepository<AdminKey> {
  /** Also one whose revocation was begun and not ended: revoking it again ends it. */
  byId(adminKeyId: Id<'adminKey'>): Promise<AdminKey | null> {
    return this.findOne({ id: adminKeyId });
  }

  liveById(adminKeyId: Id<'adminKey'>): Promise<AdminKey | null> {
    return this.findOne({ id: adminKeyId, revokedAt: null });
  }

  page(request: PageRequest): Promise<Page<AdminKey>> {
    return pageById<AdminKey>(this, { revokedAt: null }, request);
  }
}
