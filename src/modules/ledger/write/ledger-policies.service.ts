import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Statement } from '../../../platform/database/statement.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { LedgerPolicy, type PayloadPolicy } from './ledger-policy.entity.js';
import { LedgerPolicyRepository } from './ledger-policy.repository.js';

@Injectable()
export class LedgerPolicies {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly policies: LedgerPolicyRepository,
  ) {}

  payloads(projectId: Id<'project'>): Statement<PayloadPolicy> {
    return this.policies.payloads(projectId).as((own) => own ?? 'show');
  }

  /** Returns the policy of a project, or throws an error if there is no such project. */
  async read(projectId: Id<'project'>): Promise<PayloadPolicy> {
    const project = await this.tenancy.project(projectId);
    return this.database.ask(this.payloads(project.id));
  }

  change(actor: Actor, projectId: Id<'project'>, payloads: PayloadPolicy): Promise<PayloadPolicy> {
    return this.database.transaction(actor, async (tx) => {
      const project = await this.tenancy.lockProject(tx, projectId);
      const policy = await this.policies.ofProject(projectId);
      if (policy) policy.payloads = payloads;
      else tx.em.persist(new LedgerPolicy(project, payloads));
      return payloads;
    });
  }
}
