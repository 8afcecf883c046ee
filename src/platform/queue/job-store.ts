import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { Statements } from '../database/statements.js';

export interface NewJob {
  id: Id<'job'>;
  name: string;
  lane: string;
  data: unknown;
  runAt: Date;
}

/** A job as the process that runs it knows it. Its attempt is the fence: whoever has an older one has lost it. */
export interface ClaimedJob {
  id: Id<'job'>;
  name: string;
  lane: string;
  data: unknown;
  attempt: number;
  progress: Record<string, unknown> | null;
}

const KEPT_DAYS = 7;

/** How long a running job is its process's without a sign of life. */
export const LEASE_SECONDS = 30;

/** The statements behind jobs. What moves a running job names its attempt and tells whether it was still ours. */
@Injectable()
export class JobStore {
  constructor(private readonly statements: Statements) {}

  async insert(em: EntityManager, job: NewJob): Promise<void> {
    await em.execute(
      `insert into job (id, name, lane, data, state, run_at, created_at) values (?, ?, ?, ?, 'queued', ?, ?)`,
      [job.id, job.name, job.lane, JSON.stringify(job.data), job.runAt, clock.now()],
    );
  }

  /** The first of the lane, if it is due and the lane is free. */
  async claim(lane: string): Promise<ClaimedJob | null> {
    try {
      const [job] = await this.statements.run<ClaimedJob>(
        `update job set state = 'running', attempt = attempt + 1, lease_until = now() + make_interval(secs => $1)
         where id = (
           select id from job
           where id = (select id from job where lane = $2 and state = 'queued' order by seq limit 1) and run_at <= now()
           for update skip locked)
         returning id, name, lane, data, attempt, progress`,
        [LEASE_SECONDS, lane],
      );
      return job ?? null;
    } catch (error) {
      if (isLaneTaken(error)) return null;
      throw error;
    }
  }

  renew(job: ClaimedJob): Promise<boolean> {
    return this.moveAlone(job, 'lease_until = now() + make_interval(secs => $3)', LEASE_SECONDS);
  }

  report(job: ClaimedJob, progress: Record<string, unknown>): Promise<boolean> {
    return this.moveAlone(job, 'progress = $3', JSON.stringify(progress));
  }

  retry(job: ClaimedJob, reason: string, delaySeconds: number): Promise<boolean> {
    const change = `state = 'queued', error = $3, run_at = now() + make_interval(secs => $4)`;
    return this.moveAlone(job, change, reason, delaySeconds);
  }

  finish(em: EntityManager, job: ClaimedJob): Promise<boolean> {
    return this.move(em, job, `state = 'done', error = null, finished_at = now()`);
  }

  suspend(em: EntityManager, job: ClaimedJob, until: Date): Promise<boolean> {
    return this.move(em, job, `state = 'suspended', run_at = ?`, until);
  }

  giveUp(em: EntityManager, job: ClaimedJob, reason: string): Promise<boolean> {
    return this.move(em, job, `state = 'failed', error = ?, finished_at = now()`, reason);
  }

  /** Ends a suspension. */
  async resume(em: EntityManager, jobId: string): Promise<string | null> {
    const [job] = await em.execute<{ lane: string }[]>(
      `update job set state = 'queued', run_at = now() where id = ? and state = 'suspended' returning lane`,
      [jobId],
    );
    return job?.lane ?? null;
  }

  async cancel(em: EntityManager, jobId: string, reason: string): Promise<boolean> {
    const rows = await em.execute(
      `update job set state = 'failed', error = ?, finished_at = now()
       where id = ? and state in ('queued', 'running', 'suspended') returning id`,
      [reason, jobId],
    );
    return rows.length > 0;
  }

  /** Whether the job is next in its lane and nobody is in there who would ring for it. */
  async isNext(jobId: string, lane: string): Promise<boolean> {
    const [first] = await this.statements.run<{ id: string; taken: boolean }>(
      `select id, exists (select 1 from job where lane = $1 and state in ('running', 'suspended')) as taken
       from job where lane = $2 and state = 'queued' order by seq limit 1`,
      [lane, lane],
    );
    return first?.id === jobId && !first.taken;
  }

  /** Whether the lane has a job that waits, and when it is due: seconds from now. */
  async nextIn(lane: string): Promise<number | null> {
    const [next] = await this.statements.run<{ seconds: number }>(
      `select greatest(0, extract(epoch from run_at - now()))::float8 as seconds from job
       where lane = $1 and state = 'queued' order by seq limit 1`,
      [lane],
    );
    return next?.seconds ?? null;
  }

  /** Lanes with a due job and nobody in them, in order of their names after the one given. */
  async dueLanes(after: string, limit: number): Promise<string[]> {
    // Hops from lane to lane along the index, however many jobs wait in each.
    const rows = await this.statements.run<{ lane: string }>(
      `with recursive hop as (
         (select lane from job where state = 'queued' and lane > $1 order by lane limit 1)
         union all
         select (select lane from job where state = 'queued' and lane > hop.lane order by lane limit 1)
         from hop where hop.lane is not null)
       select lane from hop where lane is not null
         and (select run_at from job where job.lane = hop.lane and state = 'queued' order by seq limit 1) <= now()
         and not exists (select 1 from job where job.lane = hop.lane and state in ('running', 'suspended'))
       limit $2`,
      [after, limit],
    );
    return rows.map(({ lane }) => lane);
  }

  /** Jobs whose process gave no sign of life for a lease, and suspensions that have lasted long enough, wait again. */
  async takeBack(): Promise<void> {
    await this.statements.run(
      `update job set state = 'queued' where id in (
         select id from job where state = 'running' and lease_until < now() for update skip locked)`,
      [],
    );
    await this.statements.run(
      `update job set state = 'queued' where id in (
         select id from job where state = 'suspended' and run_at <= now() for update skip locked)`,
      [],
    );
  }

  /** Of jobs that ended, nobody asks any more. */
  async forgetEnded(): Promise<void> {
    await this.statements.run(`delete from job where finished_at < now() - make_interval(days => ${KEPT_DAYS})`);
  }

  private async move(em: EntityManager, job: ClaimedJob, change: string, ...values: unknown[]): Promise<boolean> {
    const rows = await em.execute(
      `update job set ${change} where id = ? and attempt = ? and state = 'running' returning id`,
      [...values, job.id, job.attempt],
    );
    return rows.length > 0;
  }

  private async moveAlone(job: ClaimedJob, change: string, ...values: unknown[]): Promise<boolean> {
    const rows = await this.statements.run(
      `update job set ${change} where id = $1 and attempt = $2 and state = 'running' returning id`,
      [job.id, job.attempt, ...values],
    );
    return rows.length > 0;
  }
}

function isLaneTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'job_lane_taken';
}
