import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID, type RowOf } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { DockJobRepository } from './dock-job.repository.js';

export const JOB_TYPES = ['TOOLS', 'MODELS', 'GUARDRAILS'] as const;
export type DockJobType = (typeof JOB_TYPES)[number];

export const ACTIONS = ['IMPORT', 'EXPORT', 'DEPLOY', 'UNDEPLOY'] as const;
export type DockAction = (typeof ACTIONS)[number];

export const DOCK_STATUSES = ['IN_PROGRESS', 'SUCCESS', 'FAILED'] as const;
export type DockStatus = (typeof DOCK_STATUSES)[number];

export interface NewDockJob {
  jobType: DockJobType;
  action: DockAction;
  targetId: string;
  scopeId?: Id<'scope'>;
  data: unknown;
  exportJobId?: Id<'toolExport'> | undefined;
}

type Response = Record<string, unknown>;

export type DockJobRow = RowOf<DockJob, 'isOver'>;

/** The topic of the notifications about a dock job. */
export const topicOf = (id: Id<'dockJob'>) => `dock:${id}`;

/** The notification while the work is done. A notification without a message means that the row has changed. */
export interface DockProgress {
  percentageComplete: number;
  stage: string;
}

/** The notification at the end of a dock job. */
export type DockEnding =
  { status: 'SUCCESS'; response: Response | null } | { status: 'FAILED'; errorCode: string; errorMessage: string };

export type DockNotification = DockProgress | DockEnding;

export const isEnding = (notification: DockNotification): notification is DockEnding => 'status' in notification;

/** An import, export, deployment or undeployment that clients follow. It moves once, from IN_PROGRESS to its end. */
@Audited({ kind: 'dockJob', project: 'project', unaudited: ['percentageComplete', 'stage'] })
@Entity({ tableName: 'dock_job', repository: () => DockJobRepository })
@Unique({ name: 'dock_job_running', properties: ['targetId'], where: `status = 'IN_PROGRESS'` })
@Index({ name: 'dock_job_project', properties: ['project', 'id'] })
@Index({ name: 'dock_job_finished', properties: ['finishedAt'] })
@Check({ expression: `(status = 'IN_PROGRESS') = (finished_at is null)` })
@Check({ name: 'dock_job_check1', expression: `(status = 'FAILED') = (error_code is not null)` })
export class DockJob {
  [EntityRepositoryType]?: DockJobRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'dockJob'> = newId('dockJob');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  /** The id of the tool or model. */
  @Property({ ...ID })
  readonly targetId: string;

  /** The scope of the key that started the job; null if no key did, or if it is not known. */
  @Property({ ...ID, nullable: true })
  readonly scopeId: Id<'scope'> | null;

  @Enum({ type: 'text', items: JOB_TYPES })
  readonly jobType: DockJobType;

  @Enum({ type: 'text', items: ACTIONS })
  readonly action: DockAction;

  @Property({ ...ID, nullable: true })
  readonly exportJobId: Id<'toolExport'> | null;

  /** The ids that the work needs; null if the operation was done at once. */
  @Property({ type: 'json', nullable: true })
  readonly data: unknown;

  @Enum({ type: 'text', items: DOCK_STATUSES })
  status: DockStatus = 'IN_PROGRESS';

  /** The job that does the work; null if the operation was done at once. */
  @Property({ ...ID, nullable: true })
  jobId: Id<'job'> | null = null;

  /** The number of the attempt that wrote its progress last. The next two members are its progress. */
  @Property({ type: 'integer' })
  readonly attempts: number = 0;

  @Property({ type: 'integer', check: 'percentage_complete >= 0 and percentage_complete <= 100' })
  percentageComplete = 0;

  @Property({ type: 'text', nullable: true })
  stage: string | null = null;

  @Property({ type: 'json', nullable: true })
  response: Response | null = null;

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  startedAt: Date | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  finishedAt: Date | null = null;

  constructor(project: Project, { jobType, action, targetId, scopeId, data, exportJobId }: NewDockJob) {
    this.project = project;
    this.jobType = jobType;
    this.action = action;
    this.targetId = targetId;
    this.scopeId = scopeId ?? null;
    this.data = data;
    this.exportJobId = exportJobId ?? null;
  }

  get isOver(): boolean {
    return this.status !== 'IN_PROGRESS';
  }

  succeed(response: Response | null): void {
    this.finish('SUCCESS');
    this.percentageComplete = 100;
    this.response = response;
  }

  fail(code: string, message: string): void {
    this.finish('FAILED');
    this.errorCode = code;
    this.errorMessage = message;
  }

  end(ending: DockEnding): void {
    if (ending.status === 'SUCCESS') this.succeed(ending.response);
    else this.fail(ending.errorCode, ending.errorMessage);
  }

  private finish(status: DockStatus): void {
    if (this.isOver) throw new Error(`The dock job ${this.id} has already ended`);
    this.status = status;
    this.finishedAt = clock.now();
    this.startedAt ??= this.finishedAt;
  }
}

export function rowOf(dockJob: DockJob): DockJobRow {
  return { ...dockJob, projectId: dockJob.project.id };
}
