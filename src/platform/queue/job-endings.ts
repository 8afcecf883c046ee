import { Inject, Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { ChangeLog } from '../database/change-log.js';
import { Database } from '../database/database.js';
import { asOne, type Statement } from '../database/statement.js';
import { Statements } from '../database/statements.js';
import type { Transaction } from '../database/transaction.js';
import type { ClaimedJob } from './job.entity.js';
import { type Ended, isClaimLost, JobRepository } from './job.repository.js';
import { JobHandlers } from './job-handlers.js';
import { Lanes } from './lanes.js';
import { WORKER_STATEMENTS } from './worker-statements.js';

export type Effect = (tx: Transaction) => Promise<unknown>;

/**
 * An effect that returns writes, which are sent in the statement that ends the attempt. None of them may depend on what
 * another one writes.
 */
export type EffectWithWrites = (tx: Transaction) => Promise<readonly Statement<unknown>[]>;

/**
 * Thrown where a process goes on with a job that it has lost, and the reason with which the heartbeat aborts the attempt:
 * the lease ran out, or the job was cancelled.
 */
export class JobLost extends Error {
  constructor(job: ClaimedJob) {
    super(`Job ${job.id} is no longer claimed by this process (attempt ${job.attempt})`);
  }
}

/**
 * The ways in which an attempt ends. Each commits together with its effect, if the claim is still valid, and returns
 * whether the lane's next job got a place.
 */
@Injectable()
export class JobEndings {
  constructor(
    private readonly jobs: JobRepository,
    private readonly handlers: JobHandlers,
    private readonly lanes: Lanes,
    private readonly database: Database,
    private readonly changes: ChangeLog,
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
  ) {}

  finish(job: ClaimedJob, effect: Effect): Promise<boolean> {
    return this.finishWith(job, withoutWrites(effect));
  }

  finishWith(job: ClaimedJob, effect: EffectWithWrites): Promise<boolean> {
    const isKept = this.handlers.find(job.name)?.definition.isKept ?? true;
    return this.end(job, this.jobs.finish(job, isKept), effect);
  }

  suspend(job: ClaimedJob, until: Date, effect: Effect): Promise<boolean> {
    return this.end(job, this.jobs.suspend(job, until), withoutWrites(effect));
  }

  fail(job: ClaimedJob, reason: string, effect: Effect): Promise<boolean> {
    return this.end(job, this.jobs.fail(job, reason), withoutWrites(effect));
  }

  /** Ends the attempt. The job is tried again after the delay. */
  postpone(job: ClaimedJob, reason: string, delaySeconds: number, isCounted: boolean): Promise<boolean> {
    return this.end(job, this.jobs.postpone(job, reason, delaySeconds, isCounted));
  }

  /** Ends the attempt without counting it. */
  release(job: ClaimedJob, delaySeconds = 0): Promise<boolean> {
    return this.end(job, this.jobs.release(job, delaySeconds));
  }

  releaseAfterOutage(job: ClaimedJob, delaySeconds: number): Promise<boolean> {
    return this.end(job, this.jobs.releaseAfterOutage(job, delaySeconds));
  }

  /** Uses the worker's own connections, because the job's work may occupy all others. */
  async report(job: ClaimedJob, progress: Record<string, unknown>): Promise<void> {
    if (!(await this.worker.ask(this.jobs.report(job, progress)))) throw new JobLost(job);
  }

  private async end(job: ClaimedJob, move: Statement<Ended>, effect?: EffectWithWrites): Promise<boolean> {
    const { isNextPlaced, isPlaceLeft } = await this.commit(move, effect).catch((error: unknown) => {
      throw isClaimLost(error) ? new JobLost(job) : error;
    });
    // A job that was added concurrently may have found all places taken, and the statement above did not see that job.
    return isNextPlaced || (isPlaceLeft && this.lanes.serve(job).catch(() => true));
  }

  /** Sends the end of the attempt together with the commit, which commits nothing if the claim is lost. */
  private async commit(move: Statement<Ended>, effect?: EffectWithWrites): Promise<Ended> {
    let ended: Ended = { isNextPlaced: false, isPlaceLeft: false };
    await this.database.transaction(SYSTEM, async (tx) => {
      const writes = (await effect?.(tx)) ?? [];
      if (effect) await tx.em.flush();
      const written = await this.changes.statement(tx);
      tx.defer(asOne(written ? [...writes, written] : writes, move), (answer) => (ended = answer));
    });
    return ended;
  }
}

function withoutWrites(effect: Effect): EffectWithWrites {
  return async (tx) => {
    await effect(tx);
    return [];
  };
}
