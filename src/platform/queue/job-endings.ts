import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { Database } from '../database/database.js';
import { type ClaimedJob, type Ended, JobStore } from './job-store.js';
import { LineStore } from './line-store.js';

export type Effect = (em: EntityManager) => Promise<unknown>;

/** Thrown where a process goes on with a job that is no longer its own: its lease ran out, or it was cancelled. */
export class JobLost extends Error {
  constructor(job: ClaimedJob) {
    super(`Job ${job.id} is no longer this process's (attempt ${job.attempt})`);
  }
}

/**
 * The ways in which an attempt ends. Each commits together with its effect, while the job is still this process's, and
 * tells whether another has its turn now.
 */
@Injectable()
export class JobEndings {
  constructor(
    private readonly store: JobStore,
    private readonly lines: LineStore,
    private readonly database: Database,
  ) {}

  finish(job: ClaimedJob, effect: Effect): Promise<boolean> {
    return this.end(job, (em) => this.store.finish(em, job), effect);
  }

  suspend(job: ClaimedJob, until: Date, effect: Effect): Promise<boolean> {
    return this.end(job, (em) => this.store.suspend(em, job, until), effect);
  }

  giveUp(job: ClaimedJob, reason: string, effect: Effect): Promise<boolean> {
    return this.end(job, (em) => this.store.giveUp(em, job, reason), effect);
  }

  /** To be tried again. */
  postpone(job: ClaimedJob, reason: string, delaySeconds: number): Promise<boolean> {
    return this.end(job, (em) => this.store.postpone(em, job, reason, delaySeconds));
  }

  /** The attempt does not count. */
  release(job: ClaimedJob): Promise<boolean> {
    return this.end(job, (em) => this.store.release(em, job));
  }

  private async end(job: ClaimedJob, move: (em: EntityManager) => Promise<Ended>, effect?: Effect): Promise<boolean> {
    const { isFollowed, isPlaceLeft } = await this.database.transaction(SYSTEM, async (em) => {
      if (effect) {
        await effect(em);
        await em.flush();
      }
      const ended = await move(em);
      if (!ended.isOurs) throw new JobLost(job);
      return ended;
    });
    // Whoever was added meanwhile saw the lane taken, and was not seen by the statement above.
    return isFollowed || (isPlaceLeft && this.lines.serve(job).catch(() => true));
  }
}
