import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { planned } from '../../../platform/database/sql.js';
import { row, type Statement } from '../../../platform/database/statement.js';
import type { LedgerPolicy, PayloadPolicy } from './ledger-policy.entity.js';

export class LedgerPolicyRepository extends EntityRepository<LedgerPolicy> {
  ofProject(projectId: Id<'project'>): Promise<LedgerPolicy | null> {
    return this.findOne({ project: projectId });
  }

  /** Returns the project's policy for payloads; null if it has none. */
  payloads(projectId: string): Statement<PayloadPolicy | null> {
    return row<{ payloads: PayloadPolicy }>(
      planned`select payloads from ledger_policy where project_id = ${projectId}`,
    ).as((policy) => policy?.payloads ?? null);
  }
}
