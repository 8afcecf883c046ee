import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf } from '../../platform/database/columns.js';
import { planned, sql } from '../../platform/database/sql.js';
import { exists, row, type Statement, write } from '../../platform/database/statement.js';
import { AdminKey, type AdminKeyRow } from './admin-key.entity.js';

export class AdminKeyRepository extends EntityRepository<AdminKey> {
  /** Finds revoked keys as well, because revoking a key again finishes a revocation that was interrupted. */
  byId(adminKeyId: Id<'adminKey'>): Promise<AdminKey | null> {
    return this.findOne({ id: adminKeyId });
  }

  liveById(adminKeyId: Id<'adminKey'>): Promise<AdminKey | null> {
    return this.findOne({ id: adminKeyId, revokedAt: null });
  }

  /** Answers null if there is no such key, or it is revoked. */
  byDigest(digest: string): Statement<AdminKeyRow | null> {
    return row<AdminKeyRow>(
      sql`select ${columnsOf(AdminKey)} from admin_key where digest = ${digest} and revoked_at is null`,
    );
  }

  /** Locks the key, so that it is not deleted before the commit. Answers whether it exists and is not revoked. */
  lockForUse(keyId: Id<'adminKey'>): Statement<boolean> {
    return exists(planned`select 1 from admin_key where id = ${keyId} and revoked_at is null for key share`).taking(
      'key',
    );
  }

  /** Lets a change of the key and its revocation take turns. */
  lockForChange(keyId: Id<'adminKey'>): Statement<void> {
    return write(sql`select from admin_key where id = ${keyId} for no key update`).taking('key');
  }

  /** Waits for transactions with a lock on the key. It does nothing if the key is not revoked. */
  deleteRevoked(keyId: string): Statement<void> {
    return write(sql`delete from admin_key where id = ${keyId} and revoked_at is not null`).taking('key');
  }
}
