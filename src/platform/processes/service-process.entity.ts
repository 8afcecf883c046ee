import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { QueueName } from '../../kernel/queues.js';
import { NotAudited } from '../audit/audited.js';
import { ID } from '../database/columns.js';
import { ServiceProcessRepository } from './service-process.repository.js';

export interface ServedQueue {
  queue: QueueName;
  /** The number of its jobs that run at a time at most. Null means that only the slots of the process limit it. */
  limit: number | null;
}

/** A process of the service, which says now and then that it lives. A process that stops deletes its row. */
@NotAudited('A heartbeat of a process, not configuration')
@Entity({ tableName: 'service_process', repository: () => ServiceProcessRepository })
@Index({ name: 'service_process_seen', properties: ['seenAt'] })
export class ServiceProcess {
  [EntityRepositoryType]?: ServiceProcessRepository;

  /** Is random, because two containers may have processes of the same name. */
  @PrimaryKey({ ...ID })
  readonly id!: string;

  /** The name of the machine and the number of the process there. */
  @Property({ type: 'text' })
  readonly name!: string;

  @Property({ type: 'text' })
  readonly role!: string;

  /** The queues whose jobs the process runs. A process of an earlier release has none here. */
  @Property({ type: 'jsonb', defaultRaw: `'[]'` })
  readonly queues!: ServedQueue[];

  /** The version of the service that runs. */
  @Property({ type: 'text' })
  readonly version!: string;

  @Property({ type: 'timestamptz' })
  readonly startedAt!: Date;

  /** The time of the last heartbeat. */
  @Property({ type: 'timestamptz' })
  readonly seenAt!: Date;
}
