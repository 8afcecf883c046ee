import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { LedgerPolicy } from './ledger-policy.entity.js';

export class LedgerPolicyRepository extends EntityRepository<LedgerPolicy> {
  ofProject(projectId: Id<'project'>): Promise<LedgerPolicy | null> {
    return this.findOne({ project: projectId });
  }
}
