import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { QueueName } from '../../kernel/queues.js';
import { NotAudited } from '../audit/audited.js';
import { ID, IDENTITY, type RowOf } from '../database/columns.js';
import { JobRepository } from './job.repository.js';

const JOB_STATES = ['queued', 'running', 'suspended', 'done', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/**
 * A row of the outbox: work that was added in the transaction of its cause. Only statements write it, because the
 * database decides which worker has a job. As many jobs of a lane run at a time as the lane has places. A job in state
 * `queued` is claimable if it has a place, and is in the queue of its lane otherwise.
 */
@NotAudited('Jobs follow from changes that are audited; what administrators do to them is noted')
@Entity({ tableName: 'job', repository: () => JobRepository })
@Unique({ name: 'job_place', properties: ['lane', 'place'], where: 'place is not null' })
@Unique({ name: 'job_recurring', properties: ['name'], where: 'every is not null' })
@Index({
  name: 'job_due_by_queue',
  expression: `create index job_due_by_queue on job (queue, coalesce(project_id, ''), run_at, seq)
    where state = 'queued' and place is not null`,
})
@Index({ name: 'job_in_line', properties: ['lane', 'seq'], where: `state = 'queued' and place is null` })
@Index({
  name: 'job_in_line_by_time',
  properties: ['lane', 'runAt', 'seq'],
  where: `state = 'queued' and place is null and width > 1`,
})
@Index({ name: 'job_suspended_by_queue', properties: ['queue', 'runAt'], where: `state = 'suspended'` })
@Index({ name: 'job_lease_by_queue', properties: ['queue', 'leaseUntil'], where: `state = 'running'` })
@Index({ name: 'job_finished', properties: ['finishedAt'], where: `state in ('done', 'failed')` })
@Index({ name: 'job_failed', properties: ['name', 'id'], where: `state = 'failed'` })
@Index({ name: 'job_of_project', properties: ['projectId', 'id'], where: 'project_id is not null' })
@Index({ name: 'job_of_lane', properties: ['lane', 'id'], where: 'lane <> id' })
@Check({ expression: 'place >= 1 and place <= width' })
@Check({
  name: 'job_place_while_running',
  expression: `place is not null or state <> all (array['running', 'suspended'])`,
})
@Check({ name: 'job_no_place_once_ended', expression: `place is null or state <> all (array['done', 'failed'])` })
export class Job {
  [EntityRepositoryType]?: JobRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'job'>;

  @Property({ type: 'text' })
  readonly name!: string;

  /** The kind of work. Rows of a newer release may have a queue that this process does not know, and does not serve. */
  @Property({ ...ID, default: 'upkeep' })
  readonly queue!: QueueName;

  @Property({ ...ID })
  readonly lane!: string;

  /** The data that the definition's schema describes. */
  @Property({ type: 'jsonb' })
  readonly data!: unknown;

  @Enum({ type: 'text', items: JOB_STATES })
  readonly state!: JobState;

  /** The order in which jobs were added. */
  @Property({ ...IDENTITY })
  readonly seq!: number;

  @Property({ type: 'timestamptz' })
  readonly runAt!: Date;

  @Property({ type: 'integer', default: 0 })
  readonly attempt!: number;

  @Property({ type: 'timestamptz', nullable: true })
  readonly leaseUntil!: Date | null;

  /** The progress that the handler reported last. */
  @Property({ type: 'jsonb', nullable: true })
  readonly progress!: Record<string, unknown> | null;

  @Property({ type: 'text', nullable: true })
  readonly error!: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly finishedAt!: Date | null;

  @Property({ ...ID, nullable: true })
  readonly projectId!: string | null;

  /** The number of jobs of its lane that may run at a time. */
  @Property({ type: 'smallint', default: 1, check: 'width >= 1 and width <= 100' })
  readonly width!: number;

  @Property({ type: 'smallint', nullable: true })
  readonly place!: number | null;

  /**
   * The claim of the attempt that runs. It is half of the fence: an attempt writes the job only while the row has its
   * claim and is `running`.
   */
  @Property({ type: 'uuid', nullable: true })
  readonly claim!: string | null;

  /** The number of attempts that do not count, such as those that were released. */
  @Property({ type: 'integer', default: 0 })
  readonly forgiven!: number;

  /** The number of outages that have ended attempts since the job was last suspended, done or failed. */
  @Property({ type: 'integer', default: 0 })
  readonly outages!: number;

  /** The span that added the job, as W3C's `traceparent`, so that its attempts belong to the same trace. */
  @Property({ type: 'text', nullable: true })
  readonly traceParent!: string | null;

  /** The seconds between the runs of a recurring job. */
  @Property({ type: 'integer', nullable: true, check: 'every > 0' })
  readonly every!: number | null;
}

export type JobRow = RowOf<Job>;

/** The columns that the process which runs a job has to know. */
export const CLAIMED = [
  'id',
  'claim',
  'name',
  'queue',
  'projectId',
  'lane',
  'width',
  'place',
  'every',
  'data',
  'attempt',
  'forgiven',
  'outages',
  'progress',
  'traceParent',
] as const;

/** A job as the process that runs it knows it: it always has a claim and a place. */
export type ClaimedJob = Omit<Pick<JobRow, (typeof CLAIMED)[number]>, 'claim' | 'place'> & {
  claim: string;
  place: number;
};

export type NewJob = Pick<JobRow, 'id' | 'name' | 'queue' | 'projectId' | 'lane' | 'width' | 'data' | 'traceParent'> & {
  /** Null for a job that is due at once: the database's clock sets the time, as it decides what else is due. */
  runAt: Date | null;
};

/** The claim with which the process that adds a job will run it itself, if the job gets a place. */
export type FirstClaim = ClaimedJob['claim'] | null;

/** A lane, and the number of its jobs that may run at a time. */
export type Lane = Pick<JobRow, 'lane' | 'width'>;

/** A queued job, as far as it matters for serving its lane. */
export type QueuedJob = Lane & SlotUser;

/** A job, as far as it matters for the slots that it may have. */
export type SlotUser = Pick<JobRow, 'projectId' | 'queue'>;

/** Whether a job has a lane to itself. */
export const isAlone = ({ id, lane }: Pick<JobRow, 'id' | 'lane'>) => id === lane;

/** The key by which slots are shared: the project, or an empty text for jobs that belong to no project. */
export const slotOwnerOf = ({ projectId }: Pick<JobRow, 'projectId'>) => projectId ?? '';

export const isOver = ({ state }: Pick<JobRow, 'state'>) => state === 'done' || state === 'failed';
