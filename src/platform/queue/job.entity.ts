import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../audit/audited.js';
import { ID, IDENTITY, type RowOf } from '../database/columns.js';
import { JobRepository } from './job.repository.js';

const JOB_STATES = ['queued', 'running', 'suspended', 'done', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

/**
 * Work that is promised to happen. Written by statements alone: who has a job is decided by the database. Jobs of one
 * lane run as many at a time as the lane has places; who has no place stands in line.
 */
@NotAudited('What happens to jobs follows from what is audited; administrators who step in are noted')
@Entity({ tableName: 'job', repository: () => JobRepository })
@Unique({ name: 'job_place', properties: ['lane', 'place'], where: 'place is not null' })
@Unique({ name: 'job_recurring', properties: ['name'], where: 'every is not null' })
@Index({
  name: 'job_due',
  expression: `create index job_due on job (coalesce(project_id, ''), run_at, seq)
    where state = 'queued' and place is not null`,
})
@Index({ name: 'job_in_line', properties: ['lane', 'seq'], where: `state = 'queued' and place is null` })
@Index({
  name: 'job_in_line_by_time',
  properties: ['lane', 'runAt', 'seq'],
  where: `state = 'queued' and place is null and width > 1`,
})
@Index({ name: 'job_suspended', properties: ['runAt'], where: `state = 'suspended'` })
@Index({ name: 'job_lease', properties: ['leaseUntil'], where: `state = 'running'` })
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

  @Property({ ...ID })
  readonly lane!: string;

  /** As the job's definition describes it: ids. */
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

  /** What its handler last reported. */
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

  /** How many jobs of its lane may run at a time. */
  @Property({ type: 'smallint', default: 1, check: 'width >= 1 and width <= 100' })
  readonly width!: number;

  @Property({ type: 'smallint', nullable: true })
  readonly place!: number | null;

  /** The fence: an attempt whose claim is no longer the job's has lost it. */
  @Property({ type: 'uuid', nullable: true })
  readonly claim!: string | null;

  /** Attempts that do not count any more. */
  @Property({ type: 'integer', default: 0 })
  readonly forgiven!: number;

  /** Seconds between the runs of a recurring job. */
  @Property({ type: 'integer', nullable: true, check: 'every > 0' })
  readonly every!: number | null;
}

export type JobRow = RowOf<Job>;

/** What the process that runs a job has to know of it. */
export const CLAIMED = [
  'id',
  'claim',
  'name',
  'projectId',
  'lane',
  'width',
  'place',
  'every',
  'data',
  'attempt',
  'forgiven',
  'progress',
] as const;

/** A job as the process that runs it knows it: it has a claim and a place. */
export type ClaimedJob = Omit<Pick<JobRow, (typeof CLAIMED)[number]>, 'claim' | 'place'> & {
  claim: string;
  place: number;
};

export type NewJob = Pick<JobRow, 'id' | 'name' | 'projectId' | 'lane' | 'width' | 'data'> & {
  /** At once without one: by the database's clock, as everything else that is due. */
  runAt: Date | null;
};

/** A claim on a new job that the process which adds it will run itself, if it gets a place. */
export type FirstClaim = ClaimedJob['claim'] | null;

/** Jobs that take turns, and how many of them may run at a time. */
export type Lane = Pick<JobRow, 'lane' | 'width'>;

/** A job that stands in line, as far as it matters for who gets a place. */
export type WaitingJob = Lane & Pick<JobRow, 'projectId'>;

/** Whether a job has a lane to itself. */
export const isAlone = ({ id, lane }: Pick<JobRow, 'id' | 'lane'>) => id === lane;

/** Between whom slots are shared: projects, and what is no project's. */
export const holderOf = ({ projectId }: Pick<JobRow, 'projectId'>) => projectId ?? '';

export const isOver = ({ state }: Pick<JobRow, 'state'>) => state === 'done' || state === 'failed';
