import { Entity, Enum, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { SuspensionRepository } from './suspension.repository.js';
import { ToolRun } from '../runs/tool-run.entity.js';

/** Received ones have their payload; expired ones never will. */
const SUSPENSION_STATES = ['open', 'received', 'expired'] as const;
export type SuspensionState = (typeof SUSPENSION_STATES)[number];

/** What a run waits for: one for each time that it may come to a wait node, there before it does. */
@NotAudited('What a run waits for is no configuration')
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

  /** JSON as text. */
  @Property({ type: 'text', nullable: true })
  readonly payload!: string | null;

  /** Known once the run waits. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly expiresAt!: Date | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  private constructor() {}
}

export type SuspensionRow = RowOf<Suspension>;
