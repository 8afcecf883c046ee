import { Entity, Enum, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { SuspensionRepository } from './suspension.repository.js';
import { ToolRun } from '../runs/tool-run.entity.js';

/** A received suspension has its payload. An expired one never will. */
const SUSPENSION_STATES = ['open', 'received', 'expired'] as const;
export type SuspensionState = (typeof SUSPENSION_STATES)[number];

/**
 * The callback for which a run waits at a wait node. It is created before the run reaches the node, because earlier
 * nodes send its address and secret. A run that reaches the node again has another one.
 */
@NotAudited('A suspension is the state of a run, not configuration')
@Entity({ tableName: 'tool_suspension', repository: () => SuspensionRepository })
@Unique({ properties: ['run', 'number'] })
export class Suspension {
  [EntityRepositoryType]?: SuspensionRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'suspension'>;

  @ManyToOne(() => ToolRun, { deleteRule: 'cascade' })
  readonly run!: ToolRun;

  @Property({ type: 'integer' })
  readonly number!: number;

  @Property({ type: 'text' })
  readonly secretSealed!: string;

  @Enum({ type: 'text', items: SUSPENSION_STATES })
  readonly state!: SuspensionState;

  /** The body of the callback, as JSON text. */
  @Property({ type: 'text', nullable: true })
  readonly payload!: string | null;

  /** The time is set when the run begins to wait. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly expiresAt!: Date | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  private constructor() {}
}

export type SuspensionRow = RowOf<Suspension>;
