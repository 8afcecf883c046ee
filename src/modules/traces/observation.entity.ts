import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { DECIMAL_NUMBER, ID, type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { ObservationRepository } from './observation.repository.js';
import { Trace } from './trace.entity.js';

/** One step of a trace: a call of a model (a generation), or anything else that took time (a span). */
@NotAudited('An observation is a record of what ran, not configuration')
@Entity({ tableName: 'observation', repository: () => ObservationRepository })
@Index({ name: 'observation_age_of_project', properties: ['project', 'startedAt'] })
@Index({
  name: 'observation_failed',
  properties: ['project', 'startedAt'],
  where: `status = 'failed' and kind = 'GENERATION' and otel_id is null`,
})
export class Observation {
  [EntityRepositoryType]?: ObservationRepository;
  [PrimaryKeyProp]?: ['trace', 'id'];

  @ManyToOne(() => Trace, {
    primary: true,
    joinColumns: ['project_id', 'trace_id'],
    collation: 'C',
    ...UNENFORCED,
  })
  readonly trace!: Rel<Trace>;

  /** Not stored by itself: it is part of the key of the trace. */
  @ManyToOne(() => Project, { persist: false, ...UNENFORCED })
  readonly project!: Project;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'observation'>;

  /** The parent may arrive later than its children, or never. */
  @Property({ ...ID, nullable: true })
  readonly parentId!: Id<'observation'> | null;

  @Enum({ type: 'text', items: ['GENERATION', 'SPAN'] })
  readonly kind!: 'GENERATION' | 'SPAN';

  @Property({ type: 'text' })
  readonly name!: string;

  @Property({ type: 'timestamptz' })
  readonly startedAt!: Date;

  @Property({ type: 'timestamptz' })
  readonly endedAt!: Date;

  @Enum({ type: 'text', items: ['success', 'failed'] })
  readonly status!: 'success' | 'failed';

  @Property({ type: 'text' })
  readonly statusMessage!: string;

  /** This property and the others up to `cost` are null for a span. */
  @Property({ type: 'text', nullable: true })
  readonly model!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly provider!: string | null;

  @Property({ type: 'integer', nullable: true })
  readonly inputTokens!: number | null;

  @Property({ type: 'integer', nullable: true })
  readonly outputTokens!: number | null;

  @Property({ type: DECIMAL_NUMBER, nullable: true })
  readonly cost!: number | null;

  @Property({ type: 'text', nullable: true })
  readonly input!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly output!: string | null;

  /**
   * The id of the model that failed this call of the service, such as that of a connection. Null if none is at fault,
   * because the caller left or the provider refused this one request. The model may have been deleted.
   */
  @Property({ ...ID, nullable: true })
  readonly failedModelId!: string | null;

  /** All other short attributes, as JSON. */
  @Property({ type: 'text' })
  readonly attributes!: string;

  /** The span id of OpenTelemetry, 16 hexadecimal digits. Null if the service itself recorded the observation. */
  @Property({ ...ID, nullable: true })
  readonly otelId!: string | null;

  /** Only `TraceRepository.record` creates observations, together with their traces. */
  protected constructor() {}
}

export type ObservationRow = RowOf<Observation>;
