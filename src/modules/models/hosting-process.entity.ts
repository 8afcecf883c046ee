import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import type { RowOf } from '../../platform/database/columns.js';
import { HostingProcessRepository } from './hosting-process.repository.js';

export type HostingProcessRow = RowOf<HostingProcess>;

/** Where hosting processes listen: something is to be served, or to be served no more. */
export const HOSTING = 'models:hosting';

/**
 * A process of the service that can host models, and how many replicas more it has room for. What it serves is its own
 * for as long as it renews this one lease.
 */
@NotAudited('A sign of life that a process gives')
@Entity({ tableName: 'model_host', repository: () => HostingProcessRepository })
@Index({ name: 'model_host_lease', properties: ['leaseUntil'] })
export class HostingProcess {
  [EntityRepositoryType]?: HostingProcessRepository;

  @PrimaryKey({ type: 'text', fieldName: 'holder' })
  readonly id!: string;

  /** The kind of host. */
  @Property({ type: 'text' })
  readonly host!: string;

  @Property({ type: 'integer' })
  readonly room!: number;

  /** Why it cannot host any model at the moment. */
  @Property({ type: 'text', nullable: true })
  readonly problem!: string | null;

  @Property({ type: 'timestamptz' })
  readonly leaseUntil!: Date;
}
