import { Entity, Enum, OneToOne } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import { Audited } from '../../../platform/audit/audited.js';
import { Project } from '../../tenancy/project.entity.js';
import { LedgerPolicyRepository } from './ledger-policy.repository.js';

/** `show` keeps and returns payloads, `omit` keeps but does not return them, and `drop` does not keep them. */
export const PAYLOAD_POLICIES = ['show', 'omit', 'drop'] as const;
export type PayloadPolicy = (typeof PAYLOAD_POLICIES)[number];

/** Decides whether the ledger of a project keeps and returns prompts and answers. Without a policy, it does both. */
@Audited({ kind: 'ledgerPolicy', project: 'project' })
@Entity({ tableName: 'ledger_policy', repository: () => LedgerPolicyRepository })
export class LedgerPolicy {
  [EntityRepositoryType]?: LedgerPolicyRepository;
  [PrimaryKeyProp]?: 'project';

  @OneToOne(() => Project, { primary: true, updateRule: 'no action' })
  readonly project: Project;

  @Enum({ type: 'text', items: PAYLOAD_POLICIES })
  payloads: PayloadPolicy;

  constructor(project: Project, payloads: PayloadPolicy) {
    this.project = project;
    this.payloads = payloads;
  }
}
