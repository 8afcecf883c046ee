import { Entity, Index, ManyToOne, OneToMany, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { ID, type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { App } from '../tenancy/app.entity.js';
import { Project } from '../tenancy/project.entity.js';
import { Observation } from './observation.entity.js';
import { TraceRepository } from './trace.repository.js';

/**
 * Everything that ran for one cause, such as a turn. A trace has no name, input or output itself: they are those of its
 * top observation, which may arrive last.
 */
@NotAudited('A trace is a record of what ran, not configuration')
@Entity({ tableName: 'trace', repository: () => TraceRepository })
@Index({ name: 'trace_session', properties: ['project', 'sessionId', 'startedAt'], where: `session_id <> ''` })
@Index({ name: 'trace_of_app', properties: ['app', 'startedAt', 'id'] })
@Index({ name: 'trace_age_of_project', properties: ['project', 'startedAt'] })
export class Trace {
  [EntityRepositoryType]?: TraceRepository;
  [PrimaryKeyProp]?: ['project', 'id'];

  @ManyToOne(() => Project, { primary: true, ...UNENFORCED })
  readonly project!: Project;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'trace'>;

  @ManyToOne(() => App, { nullable: true, ...UNENFORCED })
  readonly app!: App | null;

  /** The first session that was sent, which need not be one of Slipway. Empty if none was sent. */
  @Property({ ...ID })
  readonly sessionId!: string;

  @Property({ type: 'timestamptz' })
  readonly startedAt!: Date;

  @Property({ type: 'timestamptz' })
  readonly endedAt!: Date;

  /** The trace id of OpenTelemetry, 32 hexadecimal digits. Null if the service itself recorded the trace. */
  @Property({ ...ID, nullable: true })
  readonly otelId!: string | null;

  @OneToMany(() => Observation, (observation) => observation.trace)
  readonly observations = new Collection<Observation>(this);

  /** Only `TraceRepository.record` creates traces. */
  protected constructor() {}
}

export type TraceRow = RowOf<Trace>;
