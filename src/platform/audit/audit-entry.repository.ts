import { EntityRepository } from '@mikro-orm/postgresql';
import type { AuditEntry } from './audit-entry.entity.js';

export class AuditEntryRepository extends EntityRepository<AuditEntry> {}
