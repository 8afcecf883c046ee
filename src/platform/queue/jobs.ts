import type { Transaction } from '../database/transaction.js';
import { Injectable } from '@nestjs/common';
import { asOne, type Statement } from '../database/statement.js';
import { type Id, newId } from '../../kernel/ids.js';
import { type ClaimedJob, isAlone, isOver, type JobRow, type NewJob, type WaitingJob } from './job.entity.js';
import { JobRepository } from './job.repository.js';
import type { JobDefinition } from './job-definition.js';
import type { JobHandler } from './job-handler.js';
import { JobHandlers } from './job-handlers.js';
import { Lanes } from './lanes.js';
import { Slots } from './slots.js';

interface AddOptions {
  /** For who has to know it before; otherwise a new one. */
  id?: Id<'job'>;
  /** Jobs of one lane run one at a time, in the order they were added. Without one the job has a lane to itself. */
  lane?: string;
  /** Whose it is: projects take turns. */
  projectId?: string;
  runAt?: Date;
  /** How many of the lane may run at a time as far as this job goes; as its definition says, or fewer. */
  width?: number;
  /** Writes that go in the job's own statement, since they belong to what is promised; none needs another's outcome. */
  together?: readonly Statement<unknown>[];
}

/** A job with a slot of this process. Its place is known when it has been written. */
type KeptJob = Omit<ClaimedJob, 'place'> & { place: number | null };

/** What becomes of a transaction's jobs when it commits. */
interface Promised {
  /** For which slots are kept here; each is begun if it got a place. */
  kept: KeptJob[];
  /** In which some stand in line. */
  lanes: Map<string, WaitingJob>;
  /** May be begun. */
  due: Pick<JobRow, 'projectId'>[];
}

/** What is promised to happen. Call it in the transaction of what causes it: both are kept, or neither is. */
@Injectable()
export class Jobs {
  private readonly promised = new WeakMap<Transaction, Promised>();

  constructor(
    private readonly repository: JobRepository,
    private readonly lanes: Lanes,
    private readonly handlers: JobHandlers,
    private readonly slots: Slots,
  ) {}

  async add<Data>(tx: Transaction, job: JobDefinition<Data>, data: Data, options: AddOptions = {}): Promise<Id<'job'>> {
    const { id = newId('job'), lane = id, projectId = null, runAt = null, width = job.width, together = [] } = options;
    const added = { id, name: job.name, projectId, lane, width, data: job.data.parse(data), runAt };
    const promised = this.promisedBy(tx);
    const kept = this.keepSlot(promised, added);
    const claim = kept?.claim ?? null;
    const { repository } = this;
    const insert = isAlone(added) ? repository.insertAlone(added, claim) : repository.insertIntoLane(added, claim);
    tx.defer(asOne(together, insert), (place) => {
      if (kept) kept.place = place;
      if (place === null) serveToo(promised, added);
      else if (!kept) promised.due.push(added);
    });
    return id;
  }

  /** Not for more jobs than may run of the lane at a time: the others would hold slots and get no place. */
  private keepSlot({ kept }: Promised, { runAt, ...job }: NewJob): KeptJob | null {
    if (runAt || kept.filter(({ lane }) => lane === job.lane).length >= job.width) return null;
    const claim = this.slots.reserve(job);
    if (claim === null) return null;
    const one = { ...job, claim, place: null, every: null, attempt: 1, forgiven: 0, progress: null };
    kept.push(one);
    return one;
  }

  /** Ends the job's suspension. False when it was not suspended. */
  async resume(tx: Transaction, jobId: string): Promise<boolean> {
    const resumed = await tx.ask(this.repository.resume(jobId));
    if (resumed) this.promisedBy(tx).due.push(resumed);
    return resumed !== null;
  }

  /**
   * The job is given up, and its handler told in the same transaction. One that runs hears of it by its signal within
   * about a second; whatever it does afterwards has no effect. The lane goes on at once. False when it had ended.
   */
  async cancel(tx: Transaction, jobId: string, reason: string): Promise<boolean> {
    const job = await this.lock(tx, jobId);
    if (!job || isOver(job)) return false;
    await this.handled(job, (handler, data) => handler.gaveUp(tx, data, reason));
    await tx.em.flush();
    tx.defer(this.repository.giveUpAlive(jobId, reason));
    serveToo(this.promisedBy(tx), job);
    return true;
  }

  /** Locks a job and, before it, what its handler changes when the job is cancelled. Null where there is no such job. */
  async lock(tx: Transaction, jobId: string): Promise<JobRow | null> {
    const known = await tx.ask(this.repository.byId(jobId));
    if (!known) return null;
    await this.handled(known, (handler, data) => handler.lock(tx, data));
    return tx.ask(this.repository.lock(jobId));
  }

  /** A failed job waits again, with all its attempts before it. False when it has not failed. */
  async retry(tx: Transaction, jobId: string): Promise<boolean> {
    const job = await tx.ask(this.repository.reopen(jobId));
    if (job) serveToo(this.promisedBy(tx), job);
    return job !== null;
  }

  /** Nothing happens with a job of a newer version, whose handler or data this process does not know. */
  private async handled(
    { name, data }: JobRow,
    work: (handler: JobHandler<unknown>, data: unknown) => Promise<void>,
  ): Promise<void> {
    const handled = this.handlers.find(name);
    const known = handled?.definition.data.safeParse(data);
    if (known?.success) await work(handled!.handler, known.data);
  }

  /** Once it is committed, its lanes are served and what is due is offered; each once, whatever it adds. */
  private promisedBy(tx: Transaction): Promised {
    const known = this.promised.get(tx);
    if (known) return known;
    const promised: Promised = { kept: [], lanes: new Map(), due: [] };
    this.promised.set(tx, promised);
    tx.afterFailure(() => promised.kept.forEach((job) => this.slots.giveUpReserved(job)));
    tx.afterCommit(async () => {
      for (const { place, ...job } of promised.kept) {
        if (place === null) this.slots.giveUpReserved(job);
        else this.slots.beginReserved({ ...job, place });
      }
      if (promised.due.length > 0) void this.slots.offer(promised.due);
      for (const waiting of promised.lanes.values()) {
        if (await this.lanes.serve(waiting)) void this.slots.offer([waiting]);
      }
    });
    return promised;
  }
}

/** With as many places as the widest of those that are to be served asks for. */
function serveToo({ lanes }: Promised, { lane, width, projectId }: WaitingJob): void {
  lanes.set(lane, { lane, projectId, width: Math.max(width, lanes.get(lane)?.width ?? 1) });
}
