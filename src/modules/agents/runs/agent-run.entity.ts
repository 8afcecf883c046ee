import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import {
  BIG_NUMBER,
  DECIMAL_NUMBER,
  ID,
  IDENTITY,
  type RowOf,
  UNENFORCED,
} from '../../../platform/database/columns.js';
import { Session } from '../../sessions/session.entity.js';
import { App, type EnvironmentName } from '../../tenancy/app.entity.js';
import { Project } from '../../tenancy/project.entity.js';
import { User } from '../../sessions/user.entity.js';
import { AgentRunRepository } from './agent-run.repository.js';
import { AgentVersion } from '../definitions/agent.entity.js';

const AGENT_RUN_STATES = ['queued', 'running', 'suspended', 'completed', 'failed'] as const;
export type AgentRunState = (typeof AGENT_RUN_STATES)[number];

/** The record of one turn of a session. The texts of the turn are in the session's memory. */
@NotAudited('Runs are records of turns and not configuration')
@Entity({ tableName: 'run', repository: () => AgentRunRepository })
@Index({ name: 'run_session', properties: ['session', 'number'] })
@Index({ name: 'run_unfinished', properties: ['session'], where: 'finished_at is null' })
@Check({ expression: `(finished_at is not null) = (state in ('completed', 'failed'))` })
export class AgentRun {
  [EntityRepositoryType]?: AgentRunRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'agentRun'>;

  /** The number of the turn. Runs of a session are numbered in the order in which their messages were accepted. */
  @Property({ ...IDENTITY })
  readonly number!: number;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @ManyToOne(() => App, { ...UNENFORCED })
  readonly app!: App;

  @ManyToOne(() => Session, { deleteRule: 'cascade' })
  readonly session!: Session;

  @Property({ type: 'text' })
  readonly environment!: EnvironmentName;

  @ManyToOne(() => User, { ...UNENFORCED })
  readonly user!: User;

  /** The version that answers. Its agent may be deleted before the run has ended. */
  @ManyToOne(() => AgentVersion, { ...UNENFORCED })
  readonly version!: AgentVersion;

  @Enum({ type: 'text', items: AGENT_RUN_STATES })
  readonly state!: AgentRunState;

  @Property({ ...ID })
  readonly jobId!: Id<'job'>;

  /** The sink that is notified of the run. Null if the run's caller waits for the answer. */
  @Property({ type: 'text', nullable: true })
  readonly sinkName!: string | null;

  /** The sink's own id for the run. */
  @Property({ type: 'text', nullable: true })
  readonly sinkRef!: string | null;

  @Property({ type: 'text' })
  readonly channel!: string;

  @Property({ type: 'boolean' })
  readonly isNewSession!: boolean;

  @Property({ type: 'boolean' })
  readonly isStreamed!: boolean;

  /** Whether the tool run for which the run is suspended has ended. */
  @Property({ type: 'boolean', default: false })
  readonly isResumed!: boolean;

  @Property({ ...ID })
  readonly traceId!: Id<'trace'>;

  /** The observation at the top of the trace. */
  @Property({ ...ID })
  readonly observationId!: Id<'observation'>;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly startedAt!: Date | null;

  @Property({ type: 'timestamptz', nullable: true })
  readonly finishedAt!: Date | null;

  @Property({ type: 'text', nullable: true })
  readonly errorCode!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly errorMessage!: string | null;

  @Property({ type: 'boolean', default: false })
  readonly usedFallback!: boolean;

  @Property({ type: 'integer', default: 0 })
  readonly llmCalls!: number;

  @Property({ type: 'integer', default: 0 })
  readonly toolCalls!: number;

  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  readonly inputTokens!: number;

  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  readonly outputTokens!: number;

  @Property({ type: DECIMAL_NUMBER, default: 0 })
  readonly cost!: number;

  /** The time that attempts took, without the time of suspensions. */
  @Property({ type: BIG_NUMBER, defaultRaw: '0' })
  readonly activeMs!: number;

  /** Only statements of the repository write runs. */
  protected constructor() {}
}

export type AgentRunRow = RowOf<AgentRun>;

export function isOver({ state }: AgentRunRow): boolean {
  return state === 'completed' || state === 'failed';
}

/** Returns why the run failed, or null if it did not. */
export function errorOf({ errorCode, errorMessage }: AgentRunRow): { code: string; message: string } | null {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
}
