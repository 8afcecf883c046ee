import {
  Check,
  Entity,
  Enum,
  Index,
  ManyToOne,
  OneToMany,
  PrimaryKey,
  Property,
  Unique,
} from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { Project } from '../../tenancy/project.entity.js';
import { Tool } from '../definitions/tool.entity.js';
import { ToolRunRepository } from './tool-run.repository.js';
import { ToolRunStepRepository } from './tool-run-step.repository.js';
import { ToolVersion } from '../definitions/tool-version.entity.js';

export const TOOL_RUN_STATES = ['running', 'suspended', 'completed', 'failed'] as const;
export type ToolRunState = (typeof TOOL_RUN_STATES)[number];

/** A run of a deployed tool. It is written by statements only, each of which is fenced by the run's epoch or state. */
@NotAudited('A run is a record of what a tool did, not configuration')
@Entity({ tableName: 'tool_run', repository: () => ToolRunRepository })
@Unique({ name: 'tool_run_key', properties: ['project', 'idempotencyKey'] })
@Index({ name: 'tool_run_tool', properties: ['tool', 'id'] })
@Index({ name: 'tool_run_version', properties: ['version'] })
@Index({ name: 'tool_run_project_ended', properties: ['project', 'endedAt'] })
@Index({ name: 'tool_run_session', properties: ['sessionId'], where: 'session_id is not null' })
@Check({ expression: `(state in ('completed', 'failed')) = (ended_at is not null)` })
@Check({ name: 'tool_run_check1', expression: `(state = 'suspended') = (suspended_until is not null)` })
export class ToolRun {
  [EntityRepositoryType]?: ToolRunRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'toolRun'>;

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project!: Project;

  @ManyToOne(() => Tool, { deleteRule: 'cascade' })
  readonly tool!: Tool;

  @ManyToOne(() => ToolVersion, { deleteRule: 'cascade' })
  readonly version!: ToolVersion;

  @Property({ type: 'text' })
  readonly callflowId!: string;

  /** A project has at most one run for each key. */
  @Property({ type: 'text', nullable: true })
  readonly idempotencyKey!: string | null;

  /** The name of the module that started the run. It is null for a run that was started over HTTP. */
  @Property({ type: 'text', nullable: true })
  readonly callerName!: string | null;

  /** The caller's own reference for the run, such as the id of a turn. */
  @Property({ type: 'text', nullable: true })
  readonly callerRef!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly environment!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly sessionId!: string | null;

  @Property({ ...ID, nullable: true })
  readonly traceId!: Id<'trace'> | null;

  @Property({ ...ID, nullable: true })
  readonly parentObservationId!: Id<'observation'> | null;

  /** The sealed tokens of the user. They are deleted when the run ends. */
  @Property({ type: 'text', nullable: true })
  readonly tokensSealed!: string | null;

  @Enum({ type: 'text', items: TOOL_RUN_STATES })
  readonly state!: ToolRunState;

  /**
   * The fence of the run. A process that continues it increments the epoch, so writes of an earlier process have no
   * effect.
   */
  @Property({ type: 'integer', default: 0 })
  readonly epoch!: number;

  @Property({ type: 'boolean', default: false })
  readonly wasSuspended!: boolean;

  @Property({ type: 'timestamptz', nullable: true })
  readonly suspendedUntil!: Date | null;

  @Property({ type: 'integer' })
  readonly timeoutMs!: number;

  /** The time in which nodes have run. Suspensions are not counted. */
  @Property({ type: 'integer', default: 0 })
  readonly activeMs!: number;

  /** The time for which compute threads have worked for the run. */
  @Property({ type: 'integer', default: 0 })
  readonly computedMs!: number;

  /** The input as JSON text. */
  @Property({ type: 'text' })
  readonly input!: string;

  /** The masked output as JSON text. */
  @Property({ type: 'text', nullable: true })
  readonly output!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly errorCode!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly errorMessage!: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly endedAt!: Date | null;

  @OneToMany(() => ToolRunStep, (step) => step.run, { orderBy: { step: 'asc' } })
  readonly steps = new Collection<ToolRunStep>(this);

  private constructor() {}
}

export type ToolRunRow = RowOf<ToolRun>;

type NewToolRun = Pick<
  ToolRunRow,
  | 'id'
  | 'projectId'
  | 'toolId'
  | 'versionId'
  | 'callflowId'
  | 'idempotencyKey'
  | 'callerName'
  | 'callerRef'
  | 'environment'
  | 'sessionId'
  | 'traceId'
  | 'parentObservationId'
  | 'tokensSealed'
  | 'timeoutMs'
  | 'input'
>;

/** Returns the row of a run that begins now. */
export function startedRun(run: NewToolRun): ToolRunRow {
  return {
    ...run,
    state: 'running',
    epoch: 0,
    wasSuspended: false,
    suspendedUntil: null,
    activeMs: 0,
    computedMs: 0,
    output: null,
    errorCode: null,
    errorMessage: null,
    createdAt: clock.now(),
    endedAt: null,
  };
}

/**
 * The result of one node. It is committed before the next node begins, so that another process can continue the run.
 */
@NotAudited('A step is a record of what a tool did, not configuration')
@Entity({ tableName: 'tool_run_step', repository: () => ToolRunStepRepository })
@Unique({ properties: ['run', 'step'] })
export class ToolRunStep {
  [EntityRepositoryType]?: ToolRunStepRepository;

  /** The run's id and the number of the step. */
  @PrimaryKey({ ...ID })
  readonly id!: string;

  @ManyToOne(() => ToolRun, { deleteRule: 'cascade' })
  readonly run!: ToolRun;

  @Property({ type: 'integer' })
  readonly step!: number;

  @Property({ type: 'text' })
  readonly nodeId!: string;

  @Property({ type: 'text' })
  readonly type!: string;

  @Enum({ type: 'text', items: ['completed', 'failed'] })
  readonly status!: 'completed' | 'failed';

  /** The outcome of a condition, which decided the edge that the run took. */
  @Property({ type: 'text', nullable: true })
  readonly way!: string | null;

  /** The masked input as JSON text. */
  @Property({ type: 'text', nullable: true })
  readonly input!: string | null;

  /** The masked output as JSON text. */
  @Property({ type: 'text', nullable: true })
  readonly output!: string | null;

  /** The sealed output without masking, with which the run continues. It is null if masking changed nothing. */
  @Property({ type: 'text', nullable: true })
  readonly outputSealed!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly errorCode!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly errorMessage!: string | null;

  @Property({ type: 'timestamptz' })
  readonly startedAt!: Date;

  @Property({ type: 'timestamptz' })
  readonly endedAt!: Date;

  private constructor() {}
}

export type ToolRunStepRow = RowOf<ToolRunStep>;
