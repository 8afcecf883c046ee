import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { authErrors } from '../../platform/auth/auth.errors.js';
import { onForeignKey } from '../../platform/database/database.errors.js';
import { Database } from '../../platform/database/database.js';
import { Statements } from '../../platform/database/statements.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { LedgerPolicy, type PayloadPolicy } from './ledger-policy.entity.js';
import { LedgerPolicyRepository } from './ledger-policy.repository.js';
import { ownPolicy } from './store.project-rules.js';

@Injectable()
export class LedgerPolicies {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly policies: LedgerPolicyRepository,
    private readonly statements: Statements,
  ) {}

  async payloads(projectId: Id<'project'>): Promise<PayloadPolicy> {
    const [own] = await this.statements.run<{ payloads: PayloadPolicy }>(ownPolicy(projectId));
    return own?.payloads ?? 'show';
  }

  /** The same, of a project that has to be there. */
  async read(projectId: Id<'project'>): Promise<PayloadPolicy> {
    return this.payloads((await this.tenancy.project(projectId)).id);
  }

  change(actor: Actor, projectId: Id<'project'>, payloads: PayloadPolicy): Promise<PayloadPolicy> {
    return this.database.transaction(actor, async (em) => {
      const project = await this.tenancy.project(projectId);
      const policy = await this.policies.ofProject(projectId);
      if (policy) policy.payloads = payloads;
      else em.persist(new LedgerPolicy(project, payloads));
      await em.flush().catch(onForeignKey(authErrors.projectNotFound));
      return payloads;
    });
  }
}
