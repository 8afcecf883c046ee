import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Statements } from '../database/statements.js';
import { UNSYNCED } from '../database/unsynced.js';
import { nextInLine } from './line-store.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

export interface NewJob {
  id: Id<'job'>;
  name: string;
  projectId: string | null;
  lane: string;
  width: number;
  data: unknown;
  /** At once without one: by the database's clock, as everything else that is due. */
  runAt: Date | null;
}

/** A job as the process that runs it knows it. The claim is the fence: once another is made, this one counts no more. */
export interface ClaimedJob {
  id: Id<'job'>;
  claim: string;
  name: string;
  projectId: string | null;
  lane: string;
  width: number;
  place: number;
  every: number | null;
  data: unknown;
  attempt: number;
  /** Attempts that do not count any more. */
  forgiven: number;
  progress: Record<string, unknown> | null;
}

/** What became of a job: whether it was still ours, and whether the lane's next has its place. */
export interface Ended {
  isOurs: boolean;
  isLaneServed: boolean;
}

/** How long a running job is its process's without a sign of life. */
export const LEASE_SECONDS = 30;
const RENEWED_AFTER_SECONDS = 5;

export const isAlone = ({ id, lane }: { id: string; lane: string }) => id === lane;

/** The statements behind jobs. What moves a running job names its claim and tells whether it was still ours. */
@Injectable()
export class JobStore {
  constructor(@Inject(WORKER_STATEMENTS) private readonly statements: Statements) {}

  /** A job alone in its lane has its place at once; others get theirs when they are committed. */
  async insert(em: EntityManager, job: NewJob): Promise<void> {
    await em.execute(
      `insert into job (id, name, project_id, lane, width, place, data, state, run_at, created_at)
       values (?, ?, ?, ?, ?, ?, ?, 'queued', coalesce(?::timestamptz, now()), ?)`,
      [
        job.id,
        job.name,
        job.projectId,
        job.lane,
        job.width,
        isAlone(job) ? 1 : null,
        JSON.stringify(job.data),
        job.runAt,
        clock.now(),
      ],
    );
  }

  /**
   * Up to so many due jobs. A claim that a crash of the database takes back has let nobody down: the job waits again, and
   * the claim's fence keeps out whoever still works on it. Each goes to the project that has the fewest running here, so
   * that no project has more than half of the slots while another one waits, and any has all of them while none does.
   */
  claim(limit: number, running: ReadonlyMap<string, number>): Promise<ClaimedJob[]> {
    // Hops from project to project along the index, however many jobs wait in each.
    return this.statements.runNamed<ClaimedJob>(
      'claim-jobs',
      `with recursive known as (
         (select coalesce(project_id, '') as project from job where state = 'queued' and place is not null
          order by coalesce(project_id, '') limit 1)
         union all
         select (select coalesce(project_id, '') from job
                 where state = 'queued' and place is not null and coalesce(project_id, '') > known.project
                 order by coalesce(project_id, '') limit 1)
         from known where known.project is not null),
       waiting as (
         select known.project, coalesce(busy.running, 0) as running
         from known left join unnest($2::text[], $3::int[]) as busy (project, running) on busy.project = known.project
         where known.project is not null and exists (
           select from job where state = 'queued' and place is not null and coalesce(project_id, '') = known.project
             and run_at <= now())
         order by 2, random() limit $1),
       chosen as materialized (
         select due.id from waiting cross join lateral (
           select id, row_number() over () as turn from (
             select id from job where state = 'queued' and place is not null
               and coalesce(project_id, '') = waiting.project and run_at <= now()
             order by run_at, seq limit $1 for update skip locked) as first_due) as due
         order by waiting.running + due.turn, random() limit $1)
       update job set state = 'running', attempt = attempt + 1, claim = gen_random_uuid(),
         lease_until = now() + interval '${LEASE_SECONDS} seconds'
       from chosen, ${UNSYNCED} where job.id = chosen.id
       returning job.id, claim, name, project_id as "projectId", lane, width, place, every, data, attempt, forgiven, progress`,
      [limit, [...running.keys()], [...running.values()]],
    );
  }

  /** Which of the claims still hold. Renews the leases of those that are. */
  async giveSign(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    const rows = await this.statements.runNamed<{ claim: string }>(
      'sign-of-life',
      `with ours as (
         select job.id, job.claim, lease_until from job
         join unnest($1::text[], $2::uuid[]) as claimed (id, claim)
           on claimed.id = job.id and claimed.claim = job.claim
         where job.state = 'running'),
       renewed as (
         update job set lease_until = now() + make_interval(secs => $3)
         from ours where job.id = ours.id and job.claim = ours.claim and job.state = 'running'
           and ours.lease_until < now() + make_interval(secs => $4))
       select claim from ours`,
      [jobs.map(({ id }) => id), jobs.map(({ claim }) => claim), LEASE_SECONDS, LEASE_SECONDS - RENEWED_AFTER_SECONDS],
    );
    return new Set(rows.map(({ claim }) => claim));
  }

  async report(job: ClaimedJob, progress: Record<string, unknown>): Promise<boolean> {
    const rows = await this.statements.run(
      `update job set progress = $3 where id = $1 and claim = $2 and state = 'running' returning id`,
      [job.id, job.claim, JSON.stringify(progress)],
    );
    return rows.length > 0;
  }

  /** In a lane of one, the job keeps its place, and with it the order; in a wider one others go on meanwhile. */
  postpone(em: EntityManager, job: ClaimedJob, reason: string, delaySeconds: number): Promise<Ended> {
    const place = job.width === 1 ? '' : 'place = null,';
    const change = `state = 'queued', ${place} error = ?, run_at = now() + make_interval(secs => ?)`;
    return this.leave(em, job, job.width > 1, change, reason, delaySeconds);
  }

  /** Gives the job back as if this attempt had not been. */
  release(em: EntityManager, job: ClaimedJob): Promise<Ended> {
    return this.leave(em, job, false, `state = 'queued', run_at = now(), forgiven = forgiven + 1`);
  }

  finish(em: EntityManager, job: ClaimedJob): Promise<Ended> {
    if (job.every !== null) return this.runAgain(em, job, null);
    return this.leave(em, job, true, `state = 'done', place = null, error = null, finished_at = now()`);
  }

  suspend(em: EntityManager, job: ClaimedJob, until: Date): Promise<Ended> {
    return this.leave(em, job, false, `state = 'suspended', run_at = ?`, until);
  }

  giveUp(em: EntityManager, job: ClaimedJob, reason: string): Promise<Ended> {
    if (job.every !== null) return this.runAgain(em, job, reason);
    return this.leave(em, job, true, `state = 'failed', place = null, error = ?, finished_at = now()`, reason);
  }

  /** A recurring job has one row for ever. */
  private runAgain(em: EntityManager, job: ClaimedJob, error: string | null): Promise<Ended> {
    const change = `state = 'queued', run_at = now() + make_interval(secs => every), forgiven = attempt, error = ?`;
    return this.leave(em, job, false, change, error);
  }

  /** Ends the attempt. A place that becomes free goes to the lane's next in the same statement. */
  private async leave(
    em: EntityManager,
    job: ClaimedJob,
    freesPlace: boolean,
    change: string,
    ...values: unknown[]
  ): Promise<Ended> {
    const left = `update job set ${change} where id = ? and claim = ? and state = 'running' returning id`;
    const fence = [job.id, job.claim];
    if (!freesPlace || isAlone(job)) {
      const rows = await em.execute<object[]>(left, [...values, ...fence]);
      return { isOurs: rows.length > 0, isLaneServed: true };
    }
    const [row] = await em.execute<Ended[]>(
      `with left_lane as (${left}), served as (
         update job set place = ? from left_lane where job.id = (${nextInLine(job.width)}) returning job.id)
       select exists (select from left_lane) as "isOurs", exists (select from served) as "isLaneServed"`,
      [...values, ...fence, job.place, job.lane, job.place],
    );
    return row!;
  }
}
