import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { columnsOf } from '../../platform/database/columns.js';
import { pageById } from '../../platform/database/page-by-id.js';
import { planned, sql } from '../../platform/database/sql.js';
import { exists, row, type Statement, write } from '../../platform/database/statement.js';
import { AdminKey, type AdminKeyRow } from './admin-key.entity.js';

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

  /** Null where it is revoked. */
  byDigest(digest: string): Statement<AdminKeyRow | null> {
    return row<AdminKeyRow>(
      sql`select ${columnsOf(AdminKey)} from admin_key where digest = ${digest} and revoked_at is null`,
    );
  }

  /** Keeps a key from being deleted before the commit. Answers whether it is there and not revoked. */
  lockForUse(keyId: Id<'adminKey'>): Statement<boolean> {
    return exists(planned`select 1 from admin_key where id = ${keyId} and revoked_at is null for key share`).taking(
      'key',
    );
  }

  /** Waits for those who hold the key. Does nothing where it is no key that was revoked. */
  deleteRevoked(keyId: string): Statement<void> {
    return write(sql`delete from admin_key where id = ${keyId} and revoked_at is not null`).taking('key');
  }
}
