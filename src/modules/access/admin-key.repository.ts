import { EntityRepository } from '@mikro-orm/postgresql';
import { isId } from '../../kernel/ids.js';
import type { AdminKey } from './admin-key.entity.js';

export class AdminKeyRepository extends EntityRepository<AdminKey> {
  async byId(adminKeyId: string): Promise<AdminKey | null> {
    return isId('adminKey', adminKeyId) ? this.findOne({ id: adminKeyId }) : null;
  }

  /** In the order they were made, `limit` and one more. */
  listAfter(cursor: string | undefined, limit: number): Promise<AdminKey[]> {
    const after = cursor === undefined ? {} : { id: { $gt: cursor as AdminKey['id'] } };
    return this.find({ revokedAt: null, ...after }, { orderBy: { id: 'asc' }, limit: limit + 1 });
  }
}
