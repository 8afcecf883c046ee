import { EntityRepository } from '@mikro-orm/postgresql';
import { timeOfId } from '../../kernel/ids.js';
import type { QueueName } from '../../kernel/queues.js';
import { columnsOf, namesOf, newRow, someColumnsOf, typedRow } from '../database/columns.js';
import { demand, isUnmet } from '../database/demand.js';
import { opaque, planned, raw, type Sql, sql } from '../database/sql.js';
import { exists, row, rows, type Statement, theRow, write } from '../database/statement.js';
import {
  type ClaimedJob,
  type FirstClaim,
  isAlone,
  Job,
  type JobRow,
  type NewJob,
  type QueuedJob,
  type SlotUser,
} from './job.entity.js';
import { LEASE_SECONDS, leaseEnd } from './lease.js';
import { freePlaces, nextQueued, queuedJobs } from './lane.statements.js';

/** The outcome of the statement that ends an attempt. The statement fails if the job no longer has the claim. */
export interface Ended {
  /** Whether the lane's next job got the place. */
  isNextPlaced: boolean;
  /**
   * Whether the freed place went to no job while place 1 was taken. The lane may then have been full when a job was added
   * concurrently, and that job may have found no place. In a lane of width one this is always false: serving that lane
   * waits for the job that is about to end.
   */
  isPlaceLeft: boolean;
}

const RENEWED_AFTER_SECONDS = 5;

const ALIVE = raw(`state in ('queued', 'running', 'suspended')`);

/**
 * Whether a statement failed because the job no longer has its claim: the lease ran out, or the job was cancelled.
 */
export function isClaimLost(error: unknown): boolean {
  return isUnmet(error, CLAIM);
}

const CLAIM = 'the claim of the job';

/**
 * Reads and writes jobs. Each statement that changes a running job names its claim. One that ends an attempt fails if the
 * job no longer has it; the others answer whether it still had.
 */
export class JobRepository extends EntityRepository<Job> {
  /** Inserts a job that has a lane, and so its only place, to itself. With a claim the job runs from the commit on. */
  insertAlone(job: NewJob, claim: FirstClaim): Statement<number> {
    const begun = claim === null ? {} : { state: 'running' as const, attempt: 1, claim, leaseUntil: leaseEnd() };
    return write(planned`insert into job ${newRow(Job, { ...valuesOf(job), place: 1, ...begun })}`).as(() => 1);
  }

  /**
   * Inserts a job and answers with its place, or with null if it is queued; its lane is then served after the commit.
   * With a claim and a place the job runs from the commit on.
   *
   * A free place for which no job is queued is given at once. Other transactions do not see this before the commit, and
   * one that took the same place would wait for it. An advisory lock therefore lets one transaction at a time take a
   * place; the jobs of the others are queued.
   */
  insertIntoLane(job: NewJob, claim: FirstClaim): Statement<number | null> {
    const mayTakePlace = job.width === 1 ? raw('true') : raw('run_at <= now()');
    const { state, ...values } = valuesOf(job);
    const added = namesOf(Job, ADDED);
    return row<{ place: number }>(planned`
      with wanted as (select ${typedRow(Job, values)}, ${claim}::uuid as claim),
      placed as materialized (
        select case when ${mayTakePlace} and pg_try_advisory_xact_lock(hashtextextended('lane ' || lane, 0))
            and not exists (${queuedJobs(job)})
          then (select place from (${freePlaces(job)}) as free order by random() limit 1) end as place
        from wanted),
      begun as (select claim from wanted, placed where place is not null and claim is not null),
      added as (
        insert into job (${added}, place, state, attempt, claim, lease_until)
        select ${added}, place, case when begun.claim is null then ${state} else 'running' end,
          case when begun.claim is null then 0 else 1 end, begun.claim,
          case when begun.claim is not null then ${leaseEnd()} end
        from wanted cross join placed left join begun on true
        on conflict (lane, place) where place is not null do nothing returning place),
      added_without_place as (
        insert into job (${added}, state) select ${added}, ${state} from wanted where not exists (select from added))
      select place from added where place is not null`).as((found) => found?.place ?? null);
  }

  /** Renews the leases, and answers with the claims that are still valid. */
  renewLeases(jobs: readonly ClaimedJob[]): Statement<Set<string>> {
    return rows<{ claim: string }>(
      planned`with ours as (
         select job.id, job.claim, lease_until from job
         join unnest(${jobs.map(({ id }) => id)}::text[], ${jobs.map(({ claim }) => claim)}::uuid[]) as claimed (id, claim)
           on claimed.id = job.id and claimed.claim = job.claim
         where ${opaque(`job.state = 'running'`)}),
       renewed as (
         update job set lease_until = ${leaseEnd()}
         from ours where job.id = ours.id and job.claim = ours.claim and ${opaque(`job.state = 'running'`)}
           and ours.lease_until < now() + make_interval(secs => ${LEASE_SECONDS - RENEWED_AFTER_SECONDS}))
       select claim from ours`,
    )
      .as((found) => new Set(found.map(({ claim }) => claim)))
      .taking('job');
  }

  /** Answers false if the claim is no longer valid. */
  report(job: ClaimedJob, progress: Record<string, unknown>): Statement<boolean> {
    return exists(sql`
      update job set progress = ${JSON.stringify(progress)}
      where ${ofClaim(job)} returning id`).taking('job');
  }

  /**
   * In a lane of width one the job keeps its place, so that the lane keeps its order. In a wider lane the job releases
   * its place, so that other jobs run until it is due again.
   */
  postpone(job: ClaimedJob, reason: string, delaySeconds: number, isCounted: boolean): Statement<Ended> {
    const forgiven = job.forgiven + (isCounted ? 0 : 1);
    const place = job.width === 1 ? job.place : null;
    const change = sql`state = 'queued', place = ${place}, error = ${reason}, forgiven = ${forgiven}, outages = 0, run_at = now() + make_interval(secs => ${delaySeconds})`;
    return this.endAttempt(job, job.width > 1, change);
  }

  /** Makes the job claimable again without counting this attempt. */
  release(job: ClaimedJob, delaySeconds: number): Statement<Ended> {
    return this.endAttempt(job, false, releasedFor(delaySeconds));
  }

  /** The same, after an outage of the database. */
  releaseAfterOutage(job: ClaimedJob, delaySeconds: number): Statement<Ended> {
    return this.endAttempt(job, false, sql`${releasedFor(delaySeconds)}, outages = outages + 1`);
  }

  finish(job: ClaimedJob, isKept: boolean): Statement<Ended> {
    if (job.every !== null) return this.runAgain(job, null);
    if (!isKept) return this.endBy(sql`delete from job where ${ofClaim(job)} returning id`, job, true);
    return this.endAttempt(job, true, sql`state = 'done', place = null, error = null, finished_at = now()`);
  }

  /** Suspends the job without counting this attempt, because a job may be suspended any number of times. */
  suspend(job: ClaimedJob, until: Date): Statement<Ended> {
    return this.endAttempt(
      job,
      false,
      sql`state = 'suspended', run_at = ${until}, forgiven = forgiven + 1, outages = 0`,
    );
  }

  fail(job: ClaimedJob, reason: string): Statement<Ended> {
    if (job.every !== null) return this.runAgain(job, reason);
    return this.endAttempt(job, true, sql`state = 'failed', place = null, error = ${reason}, finished_at = now()`);
  }

  /** Answers null if the job is not suspended. */
  resume(jobId: string): Statement<SlotUser | null> {
    return row<SlotUser>(
      sql`update job set state = 'queued', run_at = now() where id = ${jobId} and ${opaque(`state = 'suspended'`)}
          returning ${someColumnsOf(Job, ['projectId', 'queue'])}`,
    ).taking('job');
  }

  byId(jobId: string): Statement<JobRow | null> {
    return row(sql`select ${columnsOf(Job)} from job where id = ${jobId}`);
  }

  /** Locks the job, so that no other transaction claims or ends it until the commit. */
  lock(jobId: string): Statement<JobRow | null> {
    return row<JobRow>(sql`select ${columnsOf(Job)} from job where id = ${jobId} for update`).taking('job');
  }

  /**
   * Fails a job that has not ended. An attempt that runs loses the job and has no effect any more. A recurring job
   * fails only in this run.
   */
  failUnended(jobId: string, reason: string): Statement<void> {
    return write(
      sql`update job set error = ${reason},
         state = case when every is null then 'failed' else 'queued' end,
         place = case when every is null then null else place end,
         finished_at = case when every is null then now() end,
         run_at = case when every is null then run_at else now() + make_interval(secs => every) end,
         forgiven = case when every is null then forgiven else attempt end, outages = 0
       where id = ${jobId} and ${ALIVE}`,
    ).taking('job');
  }

  /**
   * Queues a failed job again at its old position. `attempt` becomes at least one even if no worker ever claimed the
   * job, because handlers treat the first attempt differently.
   */
  reopen(jobId: string): Statement<QueuedJob | null> {
    return row<QueuedJob>(
      sql`update job set state = 'queued', run_at = now(), attempt = greatest(attempt, 1),
            forgiven = greatest(attempt, 1), outages = 0, finished_at = null
          where id = ${jobId} and ${opaque(`state = 'failed'`)} returning ${someColumnsOf(Job, ['lane', 'width', 'projectId', 'queue'])}`,
    ).taking('job');
  }

  /** Makes jobs of these queues claimable again whose lease has run out. */
  reclaimExpired(queues: readonly QueueName[]): Statement<void> {
    return write(
      planned`update job set state = 'queued', run_at = least(run_at, now()) where id in (
         select id from job where state = 'running' and lease_until < now()
           and queue = any(${queues}::text[]) for update skip locked)`,
    ).taking('job');
  }

  /** Resumes jobs of these queues whose suspension has reached its end. */
  endSuspensions(queues: readonly QueueName[]): Statement<void> {
    return write(
      planned`update job set state = 'queued' where id in (
         select id from job where state = 'suspended' and run_at <= now()
           and queue = any(${queues}::text[]) for update skip locked)`,
    ).taking('job');
  }

  /** Makes a recurring job due again after its interval, because such a job has one row for ever. */
  private runAgain(job: ClaimedJob, error: string | null): Statement<Ended> {
    const change = sql`state = 'queued', run_at = now() + make_interval(secs => every), forgiven = attempt, outages = 0, error = ${error}`;
    return this.endAttempt(job, false, change);
  }

  /** Ends the attempt. A place that becomes free goes to the lane's next job in the same statement. */
  private endAttempt(job: ClaimedJob, freesPlace: boolean, change: Sql): Statement<Ended> {
    return this.endBy(sql`update job set ${change} where ${ofClaim(job)} returning id`, job, freesPlace);
  }

  private endBy(ending: Sql, job: ClaimedJob, freesPlace: boolean): Statement<Ended> {
    const isOurs = demand(sql`exists (select from ended)`, CLAIM);
    if (!freesPlace || isAlone(job)) {
      return write(planned`with ended as (${ending}) select ${isOurs}`)
        .as(() => ({ isNextPlaced: false, isPlaceLeft: false }))
        .taking('job');
    }
    const isFirstTaken = sql`exists (select from job where lane = ${job.lane} and place = 1)`;
    return theRow<Ended>(
      planned`with ended as (${ending}), served as (
         update job set place = ${job.place} from ended
         where job.id = (select id from (${nextQueued(job, job.place)}) as next) returning job.id)
       select ${isOurs}, exists (select from served) as "isNextPlaced",
         not exists (select from served) and ${job.width === 1 ? raw('false') : isFirstTaken} as "isPlaceLeft"`,
    ).taking('job');
  }
}

function releasedFor(delaySeconds: number): Sql {
  return sql`state = 'queued', run_at = now() + make_interval(secs => ${delaySeconds}), forgiven = forgiven + 1`;
}

function ofClaim({ id, claim }: ClaimedJob): Sql {
  return sql`id = ${id} and claim = ${claim} and ${opaque(`state = 'running'`)}`;
}

/**
 * The id and `createdAt` have one time, because a job can wait in a batch before it is written, and lists sort by the
 * id.
 */
function valuesOf({ runAt, ...job }: NewJob) {
  return {
    ...job,
    state: 'queued' as const,
    runAt: sql`coalesce(${runAt}::timestamptz, now())`,
    createdAt: timeOfId(job.id),
  };
}

/** The columns of a new job besides its place, its state and its claim. */
const ADDED = [
  'id',
  'name',
  'queue',
  'projectId',
  'lane',
  'width',
  'data',
  'traceParent',
  'runAt',
  'createdAt',
] as const;
