import { Injectable } from '@nestjs/common';
import { asOne, type Statement } from '../database/statement.js';
import type { Transaction } from '../database/transaction.js';
import { currentTraceParent } from '../telemetry/tracing.js';
import { type Id, newId } from '../../kernel/ids.js';
import {
  type ClaimedJob,
  isAlone,
  isOver,
  type JobRow,
  type NewJob,
  type QueuedJob,
  type SlotUser,
} from './job.entity.js';
import { JobRepository } from './job.repository.js';
import type { JobDefinition } from './job-definition.js';
import type { JobHandler } from './job-handler.js';
import { JobHandlers } from './job-handlers.js';
import { Lanes } from './lanes.js';
import { Slots } from './slots.js';

interface AddOptions {
  /** The id of the job, if the caller has to know it before the job is added. The default is a new id. */
  id?: Id<'job'>;
  /**
   * The lane. Its jobs run one at a time, in the order in which they were added, unless its width is more than one. By
   * default a job has a lane to itself.
   */
  lane?: string;
  /** The project that the job belongs to. The job runs in this project's share of the slots. */
  projectId?: string;
  runAt?: Date;
  /**
   * The number of jobs of the lane that may run at a time, as far as this job is concerned: the definition's width, or
   * less.
   */
  width?: number;
  /**
   * Writes that belong to the job's cause and are sent in its statement. None may depend on what another one writes.
   */
  together?: readonly Statement<unknown>[];
}

/** A job for which this process has reserved a slot. Its place is known once the job is inserted. */
type ReservedJob = Omit<ClaimedJob, 'place'> & { place: number | null };

/** The jobs of one transaction that need something done after its commit. */
interface PendingJobs {
  /** Jobs for which slots are reserved here. Each begins after the commit if it got a place. */
  reserved: ReservedJob[];
  /** Lanes in which some of the jobs are queued. */
  lanes: Map<string, QueuedJob>;
  /** Jobs that have a place and no slot here. They are offered to the workers, although some may be due later. */
  due: SlotUser[];
}

/**
 * Adds, resumes, cancels and retries jobs. Each method belongs in the transaction of what causes it, so that both are
 * kept or neither is.
 */
@Injectable()
export class Jobs {
  private readonly pending = new WeakMap<Transaction, PendingJobs>();

  constructor(
    private readonly repository: JobRepository,
    private readonly lanes: Lanes,
    private readonly handlers: JobHandlers,
    private readonly slots: Slots,
  ) {}

  async add<Data>(tx: Transaction, job: JobDefinition<Data>, data: Data, options: AddOptions = {}): Promise<Id<'job'>> {
    const { id = newId('job'), lane = id, projectId = null, runAt = null, width = job.width, together = [] } = options;
    const known = { id, name: job.name, queue: job.queue, projectId, lane, width, data: job.data.parse(data) };
    const added = { ...known, runAt, traceParent: currentTraceParent() };
    const pending = this.pendingOf(tx);
    const reserved = this.reserveSlot(pending, added);
    const claim = reserved?.claim ?? null;
    const { repository } = this;
    const insert = isAlone(added) ? repository.insertAlone(added, claim) : repository.insertIntoLane(added, claim);
    tx.defer(asOne(together, insert), (place) => {
      if (reserved) reserved.place = place;
      if (place === null) noteForServing(pending, added);
      else if (!reserved) pending.due.push(added);
    });
    return id;
  }

  /**
   * Reserves at most as many slots for a lane as jobs of it may run at a time: further jobs would occupy slots without
   * a place.
   */
  private reserveSlot({ reserved }: PendingJobs, { runAt, ...job }: NewJob): ReservedJob | null {
    if (runAt || reserved.filter(({ lane }) => lane === job.lane).length >= job.width) return null;
    const claim = this.slots.reserve(job);
    if (claim === null) return null;
    const one = { ...job, claim, place: null, every: null, attempt: 1, forgiven: 0, outages: 0, progress: null };
    reserved.push(one);
    return one;
  }

  /** Ends the job's suspension. Returns false if the job is not suspended. */
  async resume(tx: Transaction, jobId: string): Promise<boolean> {
    const resumed = await tx.ask(this.repository.resume(jobId));
    if (resumed) this.pendingOf(tx).due.push(resumed);
    return resumed !== null;
  }

  /**
   * Fails the job and calls its handler's `onFailed` in the same transaction. An attempt that runs has no effect any
   * more, and its signal aborts with the next heartbeat. A recurring job is due again after its interval. The lane is
   * served after the commit. Returns false if the job has ended.
   */
  async cancel(tx: Transaction, jobId: string, reason: string): Promise<boolean> {
    const job = await this.lock(tx, jobId);
    if (!job || isOver(job)) return false;
    await this.withHandler(job, (handler, data) => handler.onFailed(tx, data, reason));
    await tx.em.flush();
    tx.defer(this.repository.failUnended(jobId, reason));
    noteForServing(this.pendingOf(tx), job);
    return true;
  }

  /**
   * Locks a job and, before it, the rows that its handler changes on a cancellation. Returns null if there is no such
   * job.
   */
  async lock(tx: Transaction, jobId: string): Promise<JobRow | null> {
    const known = await tx.ask(this.repository.byId(jobId));
    if (!known) return null;
    await this.withHandler(known, (handler, data) => handler.lock(tx, data));
    return tx.ask(this.repository.lock(jobId));
  }

  /** Queues a failed job again with all its attempts ahead of it. Returns false if the job has not failed. */
  async retry(tx: Transaction, jobId: string): Promise<boolean> {
    const job = await tx.ask(this.repository.reopen(jobId));
    if (job) noteForServing(this.pendingOf(tx), job);
    return job !== null;
  }

  /** Does nothing for a job of a newer version, whose handler or data this process does not know. */
  private async withHandler(
    { name, data }: JobRow,
    work: (handler: JobHandler<unknown>, data: unknown) => Promise<void>,
  ): Promise<void> {
    const handled = this.handlers.find(name);
    const known = handled?.definition.data.safeParse(data);
    if (known?.success) await work(handled!.handler, known.data);
  }

  /**
   * Collects what the transaction adds. After the commit each lane is served once and the due jobs are offered once,
   * however many jobs the transaction added.
   */
  private pendingOf(tx: Transaction): PendingJobs {
    const known = this.pending.get(tx);
    if (known) return known;
    const pending: PendingJobs = { reserved: [], lanes: new Map(), due: [] };
    this.pending.set(tx, pending);
    tx.afterFailure(() => pending.reserved.forEach((job) => this.slots.releaseReserved(job)));
    tx.afterCommit(async () => {
      for (const { place, ...job } of pending.reserved) {
        if (place === null) this.slots.releaseReserved(job);
        else this.slots.beginReserved({ ...job, place });
      }
      if (pending.due.length > 0) void this.slots.offer(pending.due);
      for (const waiting of pending.lanes.values()) {
        if (await this.lanes.serve(waiting)) void this.slots.offer([waiting]);
      }
    });
    return pending;
  }
}

/** Notes the lane for serving, with as many places as the widest of its jobs asks for. */
function noteForServing({ lanes }: PendingJobs, { lane, width, projectId, queue }: QueuedJob): void {
  lanes.set(lane, { lane, projectId, queue, width: Math.max(width, lanes.get(lane)?.width ?? 1) });
}
