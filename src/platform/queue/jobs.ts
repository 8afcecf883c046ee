import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Id, newId } from '../../kernel/ids.js';
import { Database } from '../database/database.js';
import { InterventionStore } from './intervention-store.js';
import type { JobDefinition } from './job-definition.js';
import { JobHandlers } from './job-handlers.js';
import { isAlone, JobStore } from './job-store.js';
import { type Lane, LineStore } from './line-store.js';
import { Slots } from './slots.js';

interface AddOptions {
  /** Jobs of one lane run one at a time, in the order they were added. Without one the job has a lane to itself. */
  lane?: string;
  /** Whose it is: projects take turns. */
  projectId?: string;
  runAt?: Date;
  /** How many of the lane may run at a time as far as this job goes; as its definition says, or fewer. */
  width?: number;
}

/** What is promised to happen. Call it in the transaction of what causes it: both are kept, or neither is. */
@Injectable()
export class Jobs {
  /** What each transaction does once it is committed: one bell, and each lane once, whatever it adds to it. */
  private readonly ringing = new WeakSet<EntityManager>();
  private readonly serving = new WeakMap<EntityManager, Set<string>>();

  constructor(
    private readonly database: Database,
    private readonly store: JobStore,
    private readonly lines: LineStore,
    private readonly interventions: InterventionStore,
    private readonly handlers: JobHandlers,
    private readonly slots: Slots,
  ) {}

  async add<Data>(
    em: EntityManager,
    job: JobDefinition<Data>,
    data: Data,
    options: AddOptions = {},
  ): Promise<Id<'job'>> {
    const id = newId('job');
    const { lane = id, projectId = null, runAt = null, width = job.width } = options;
    const added = { id, name: job.name, projectId, lane, width, data: job.data.parse(data), runAt };
    await this.store.insert(em, added);
    if (isAlone(added)) this.ringAfter(em);
    else this.serveAfter(em, added);
    return id;
  }

  /** Ends the job's suspension. False when it was not suspended. */
  async resume(em: EntityManager, jobId: string): Promise<boolean> {
    const isResumed = await this.interventions.resume(em, jobId);
    if (isResumed) this.ringAfter(em);
    return isResumed;
  }

  /**
   * The job is given up, and its handler told in the same transaction. One that runs hears of it by its signal within
   * about a second; whatever it does afterwards has no effect. The lane goes on at once. False when it had ended.
   */
  async cancel(em: EntityManager, jobId: string, reason: string): Promise<boolean> {
    const job = await this.interventions.holdAlive(em, jobId);
    if (!job) return false;
    const handled = this.handlers.find(job.name);
    const known = handled?.said.data.safeParse(job.data);
    if (known?.success) await handled?.provider.gaveUp(em, known.data, reason);
    await em.flush();
    await this.interventions.giveUp(em, job, reason);
    this.serveAfter(em, job);
    return true;
  }

  /** A failed job waits again, with all its attempts before it. False when it has not failed. */
  async retry(em: EntityManager, jobId: string): Promise<boolean> {
    const job = await this.interventions.reopen(em, jobId);
    if (job) this.serveAfter(em, job);
    return job !== null;
  }

  private ringAfter(em: EntityManager): void {
    if (this.ringing.has(em)) return;
    this.ringing.add(em);
    this.database.afterCommit(() => void this.slots.offer());
  }

  /** Whoever ends a job serves the next in line, so that a long lane needs one bell. */
  private serveAfter(em: EntityManager, { lane, width }: Lane): void {
    const lanes = this.serving.get(em) ?? new Set<string>();
    this.serving.set(em, lanes);
    if (lanes.has(lane)) return;
    lanes.add(lane);
    this.database.afterCommit(async () => {
      if (await this.lines.serve({ lane, width })) void this.slots.offer();
    });
  }
}
