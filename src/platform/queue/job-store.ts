import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { planned, raw, type Sql, sql } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import { UNSYNCED } from '../database/unsynced.js';
import { freePlaces, inLine, nextInLine } from './line-store.js';
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

/** What became of a job. */
export interface Ended {
  /** It was still this process's. */
  isOurs: boolean;
  /** The lane's next has its place. */
  isFollowed: boolean;
  /** Nobody has it, and whoever was added meanwhile may have found no place: whoever did, found the first one taken. */
  isPlaceLeft: boolean;
}

/** How long a running job is its process's without a sign of life. */
export const LEASE_SECONDS = 30;
const RENEWED_AFTER_SECONDS = 5;
const COLUMNS = raw('id, name, project_id, lane, width, data, state, run_at, created_at');
const WAITS = raw(`state = 'queued' and place is not null`);

export const isAlone = ({ id, lane }: { id: string; lane: string }) => id === lane;

/** The statements behind jobs. What moves a running job names its claim and tells whether it was still ours. */
@Injectable()
export class JobStore {
  constructor(@Inject(WORKER_STATEMENTS) private readonly statements: Statements) {}

  /** A job that is alone in its lane has its only place. */
  async insertAlone(em: EntityManager, job: NewJob): Promise<void> {
    await this.statements.writeIn(
      em,
      planned`
      insert into job (id, name, project_id, lane, width, place, data, state, run_at, created_at)
      values (${job.id}, ${job.name}, ${job.projectId}, ${job.lane}, ${job.width}, 1,
              ${JSON.stringify(job.data)}, 'queued', coalesce(${job.runAt}::timestamptz, now()), ${clock.now()})`,
    );
  }

  /**
   * `hear` learns whether the job has a place: the others stand in line, to be served once they are committed. A place
   * that is free and that nobody waits for is had from the beginning, by one transaction at a time: until the commit
   * nobody else sees it, and whoever wants the same one has to wait. Who comes second stands in line.
   */
  async insertIntoLane(em: EntityManager, job: NewJob, hear: (hasPlace: boolean) => void): Promise<void> {
    const isDue = job.width === 1 ? raw('true') : raw('run_at <= now()');
    const query = planned`
      with wish as (
        select ${job.id}::text as id, ${job.name}::text as name, ${job.projectId}::text as project_id,
          ${job.lane}::text as lane, ${job.width}::smallint as width, ${JSON.stringify(job.data)}::jsonb as data,
          'queued' as state, coalesce(${job.runAt}::timestamptz, now()) as run_at,
          ${clock.now()}::timestamptz as created_at),
      added as (
        insert into job (${COLUMNS}, place)
        select ${COLUMNS},
          case when ${isDue} and pg_try_advisory_xact_lock(hashtextextended('lane ' || lane, 0))
            and not exists (${inLine(job)})
          then (select place from (${freePlaces(job)}) as free order by random() limit 1) end
        from wish
        on conflict (lane, place) where place is not null do nothing returning place),
      added_in_line as (
        insert into job (${COLUMNS}) select ${COLUMNS} from wish where not exists (select from added))
      select place from added where place is not null`;
    await this.statements.writeIn(em, query, (rows) => hear(rows.length > 0));
  }

  /**
   * Up to so many due jobs. A claim that a crash of the database takes back has let nobody down: the job waits again, and
   * the claim's fence keeps out whoever still works on it. Each goes to the project that has the fewest running here, so
   * that no project has more than half of the slots while another one waits, and any has all of them while none does.
   */
  claim(limit: number, running: ReadonlyMap<string, number>): Promise<ClaimedJob[]> {
    const [projects, counts] = [[...running.keys()], [...running.values()]];
    // Hops from project to project along the index, however many jobs wait in each.
    return this.statements.run<ClaimedJob>(
      planned`with recursive first_waiting as (
         (select coalesce(project_id, '') as project, run_at from job where ${WAITS}
          order by coalesce(project_id, ''), run_at limit 1)
         union all
         select next.project, next.run_at from first_waiting cross join lateral (
           select coalesce(project_id, '') as project, run_at from job
           where ${WAITS} and coalesce(project_id, '') > first_waiting.project
           order by coalesce(project_id, ''), run_at limit 1) as next),
       waiting as (
         select first_waiting.project, coalesce(busy.running, 0) as running
         from first_waiting
         left join unnest(${projects}::text[], ${counts}::int[]) as busy (project, running) using (project)
         where run_at <= now() order by 2, random() limit ${limit}),
       chosen as materialized (
         select due.id from waiting cross join lateral (
           select id, row_number() over () as turn from (
             select id from job where ${WAITS} and coalesce(project_id, '') = waiting.project and run_at <= now()
             order by run_at, seq limit ${limit} for update skip locked) as first_due) as due
         order by waiting.running + due.turn, random() limit ${limit})
       update job set state = 'running', attempt = attempt + 1, claim = gen_random_uuid(),
         lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
       from chosen, ${UNSYNCED} where job.id = chosen.id
       returning job.id, claim, name, project_id as "projectId", lane, width, place, every, data, attempt, forgiven, progress`,
    );
  }

  /** Which of the claims still hold. Renews the leases of those that are. */
  async giveSign(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    const rows = await this.statements.run<{ claim: string }>(
      planned`with ours as (
         select job.id, job.claim, lease_until from job
         join unnest(${jobs.map(({ id }) => id)}::text[], ${jobs.map(({ claim }) => claim)}::uuid[]) as claimed (id, claim)
           on claimed.id = job.id and claimed.claim = job.claim
         where job.state = 'running'),
       renewed as (
         update job set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
         from ours where job.id = ours.id and job.claim = ours.claim and job.state = 'running'
           and ours.lease_until < now() + make_interval(secs => ${LEASE_SECONDS - RENEWED_AFTER_SECONDS}))
       select claim from ours`,
    );
    return new Set(rows.map(({ claim }) => claim));
  }

  async report(job: ClaimedJob, progress: Record<string, unknown>): Promise<boolean> {
    const rows = await this.statements.run(
      sql`update job set progress = ${JSON.stringify(progress)}
          where id = ${job.id} and claim = ${job.claim} and state = 'running' returning id`,
    );
    return rows.length > 0;
  }

  /** In a lane of one, the job keeps its place, and with it the order; in a wider one others go on meanwhile. */
  postpone(em: EntityManager, job: ClaimedJob, reason: string, delaySeconds: number): Promise<Ended> {
    const place = job.width === 1 ? job.place : null;
    const change = sql`state = 'queued', place = ${place}, error = ${reason}, run_at = now() + make_interval(secs => ${delaySeconds})`;
    return this.leave(em, job, job.width > 1, change);
  }

  /** Gives the job back as if this attempt had not been. */
  release(em: EntityManager, job: ClaimedJob): Promise<Ended> {
    return this.leave(em, job, false, sql`state = 'queued', run_at = now(), forgiven = forgiven + 1`);
  }

  finish(em: EntityManager, job: ClaimedJob): Promise<Ended> {
    if (job.every !== null) return this.runAgain(em, job, null);
    return this.leave(em, job, true, sql`state = 'done', place = null, error = null, finished_at = now()`);
  }

  suspend(em: EntityManager, job: ClaimedJob, until: Date): Promise<Ended> {
    return this.leave(em, job, false, sql`state = 'suspended', run_at = ${until}`);
  }

  giveUp(em: EntityManager, job: ClaimedJob, reason: string): Promise<Ended> {
    if (job.every !== null) return this.runAgain(em, job, reason);
    return this.leave(em, job, true, sql`state = 'failed', place = null, error = ${reason}, finished_at = now()`);
  }

  /** A recurring job has one row for ever. */
  private runAgain(em: EntityManager, job: ClaimedJob, error: string | null): Promise<Ended> {
    const change = sql`state = 'queued', run_at = now() + make_interval(secs => every), forgiven = attempt, error = ${error}`;
    return this.leave(em, job, false, change);
  }

  /** Ends the attempt. A place that becomes free goes to the lane's next in the same statement. */
  private async leave(em: EntityManager, job: ClaimedJob, freesPlace: boolean, change: Sql): Promise<Ended> {
    const left = planned`
      update job set ${change} where id = ${job.id} and claim = ${job.claim} and state = 'running' returning id`;
    if (!freesPlace || isAlone(job)) {
      const rows = await this.statements.runIn(em, left);
      return { isOurs: rows.length > 0, isFollowed: false, isPlaceLeft: false };
    }
    const [row] = await this.statements.runIn<Ended>(
      em,
      planned`with left_lane as (${left}), served as (
         update job set place = ${job.place} from left_lane
         where job.id = (select id from (${nextInLine(job, job.place)}) as next) returning job.id)
       select exists (select from left_lane) as "isOurs", exists (select from served) as "isFollowed",
         not exists (select from served)
         and exists (select from job where lane = ${job.lane} and place = 1) as "isPlaceLeft"`,
    );
    return row!;
  }
}
