import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import type { RowOf } from '../../platform/database/columns.js';
import { HostingProcessRepository } from './hosting-process.repository.js';

export type HostingProcessRow = RowOf<HostingProcess>;

/** The topic of the notification that a deployment has to be served, or no longer has to be served. */
export const HOSTING = 'models:hosting';

/**
 * A process of the service that can host models, and the number of further replicas that it has room for. The process
 * keeps all deployments that it has claimed as long as it renews the lease in this row.
 */
@NotAudited('A heartbeat of a process, not configuration')
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

  /** Why the process cannot host any model at the moment, for people. */
  @Property({ type: 'text', nullable: true })
  readonly problem!: string | null;

  @Property({ type: 'timestamptz' })
  readonly leaseUntil!: Date;
}
