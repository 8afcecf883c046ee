import { EntityRepository, type FilterQuery } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import type { AuditEntry } from './audit-entry.entity.js';

/** A member that is left out does not filter. */
export interface AuditFilter {
  projectId?: string | undefined;
  actorId?: string | undefined;
  kind?: string | undefined;
  targetId?: string | undefined;
  operation?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

export class AuditEntryRepository extends EntityRepository<AuditEntry> {
  /** Lists the newest entries first. */
  async page({ from, to, ...same }: AuditFilter, { cursor, limit }: PageRequest): Promise<Page<AuditEntry>> {
    const where: FilterQuery<AuditEntry>[] = Object.entries(same)
      .filter(([, value]) => value !== undefined)
      .map(([member, value]) => ({ [member]: value }));
    if (from) where.push({ at: { $gte: from } });
    if (to) where.push({ at: { $lt: to } });
    if (cursor !== undefined) where.push({ id: { $lt: cursor as Id<'auditEntry'> } });
    const rows = await this.find({ $and: where }, { orderBy: { id: 'desc' }, limit: limit + 1 });
    return cutPage(rows, limit);
  }
}
