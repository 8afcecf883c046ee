import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { BIG_NUMBER, ID, type RowOf } from '../../../platform/database/columns.js';
import { Project } from '../../tenancy/project.entity.js';
import { RepricingRepository } from './repricing.repository.js';

export const REPRICING_STATES = ['IN_PROGRESS', 'SUCCESS', 'FAILED'] as const;
export type RepricingState = (typeof REPRICING_STATES)[number];

/**
 * A repricing: it computes the costs of a past window again with current prices. Each step writes its progress to the
 * row.
 */
@Audited({ kind: 'repricing', project: 'project', unaudited: ['afterTime', 'afterNumber'] })
@Entity({ tableName: 'ledger_repricing', repository: () => RepricingRepository })
@Index({ name: 'ledger_repricing_project', properties: ['project', 'createdAt'] })
@Index({ name: 'ledger_repricing_created', properties: ['createdAt'] })
export class Repricing {
  [EntityRepositoryType]?: RepricingRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'repricing'> = newId('repricing');

  @ManyToOne(() => Project, { deleteRule: 'cascade' })
  readonly project: Project;

  @Property({ type: 'timestamptz' })
  readonly fromDate: Date;

  @Property({ type: 'timestamptz' })
  readonly toDate: Date;

  @Enum({ type: 'text', items: REPRICING_STATES })
  readonly state: RepricingState = 'IN_PROGRESS';

  /** The number of calls in the window when the repricing was started. */
  @Property({ type: 'integer' })
  readonly total: number;

  /** The number of calls that were examined, which are those without a cost of their writers. */
  @Property({ type: 'integer' })
  readonly lookedAt: number = 0;

  @Property({ type: 'integer' })
  readonly changed: number = 0;

  /** The time of the call that was examined last. The next step starts after that call. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly afterTime: Date | null = null;

  /** The number of the call that was examined last. */
  @Property({ type: BIG_NUMBER, nullable: true })
  readonly afterNumber: number | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  readonly finishedAt: Date | null = null;

  constructor(project: Project, window: { fromDate: Date; toDate: Date }, total: number) {
    this.project = project;
    this.fromDate = window.fromDate;
    this.toDate = window.toDate;
    this.total = total;
  }
}

export type RepricingRow = RowOf<Repricing>;
