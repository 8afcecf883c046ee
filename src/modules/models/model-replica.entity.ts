import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { HostingProcess } from './hosting-process.entity.js';
import { ModelDeployment } from './model-deployment.entity.js';
import { ModelReplicaRepository } from './model-replica.repository.js';

export type ModelReplicaRow = RowOf<ModelReplica>;

/** A process that answers calls of a deployed model. It is in use while the service's process renews its lease. */
@NotAudited('Replicas come and go with load; the deployment that they serve is audited')
@Entity({ tableName: 'model_replica', repository: () => ModelReplicaRepository })
@Index({ name: 'model_replica_deployment', properties: ['deployment'] })
@Index({ name: 'model_replica_holder', properties: ['process'] })
export class ModelReplica {
  [EntityRepositoryType]?: ModelReplicaRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'modelReplica'>;

  @ManyToOne(() => ModelDeployment, { deleteRule: 'cascade' })
  readonly deployment!: ModelDeployment;

  /** The process of the service that started the replica. */
  @ManyToOne(() => HostingProcess, { joinColumn: 'holder', deleteRule: 'cascade' })
  readonly process!: HostingProcess;

  /** The kind of host, which is the deployment's. */
  @Property({ type: 'text' })
  readonly host!: string;

  @Property({ type: 'text' })
  readonly address!: string;

  /** The token that callers have to send. */
  @Property({ type: 'text' })
  readonly tokenSealed!: string;

  @Property({ type: 'timestamptz' })
  readonly startedAt!: Date;
}
