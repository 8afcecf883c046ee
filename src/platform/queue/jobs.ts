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

/** What becomes of a transaction's jobs when it commits. */
interface Promised {
  /** In which some stand in line. */
  lanes: Map<string, Lane>;
  /** Some may be begun. */
  isDue: boolean;
}

/** What is promised to happen. Call it in the transaction of what causes it: both are kept, or neither is. */
@Injectable()
export class Jobs {
  private readonly promised = new WeakMap<EntityManager, Promised>();

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
    const promised = this.promisedBy(em);
    if (isAlone(added)) {
      await this.store.insertAlone(em, added);
      promised.isDue = true;
    } else {
      await this.store.insertIntoLane(em, added, (hasPlace) => {
        if (hasPlace) promised.isDue = true;
        else serveToo(promised, added);
      });
    }
    return id;
  }

  /** Ends the job's suspension. False when it was not suspended. */
  async resume(em: EntityManager, jobId: string): Promise<boolean> {
    const isResumed = await this.interventions.resume(em, jobId);
    if (isResumed) this.promisedBy(em).isDue = true;
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
    const known = handled?.definition.data.safeParse(job.data);
    if (known?.success) await handled?.handler.gaveUp(em, known.data, reason);
    await em.flush();
    await this.interventions.giveUp(em, job, reason);
    serveToo(this.promisedBy(em), job);
    return true;
  }

  /** A failed job waits again, with all its attempts before it. False when it has not failed. */
  async retry(em: EntityManager, jobId: string): Promise<boolean> {
    const job = await this.interventions.reopen(em, jobId);
    if (job) serveToo(this.promisedBy(em), job);
    return job !== null;
  }

  /** Once it is committed, its lanes are served and what is due is offered; each once, whatever it adds. */
  private promisedBy(em: EntityManager): Promised {
    const known = this.promised.get(em);
    if (known) return known;
    const promised: Promised = { lanes: new Map(), isDue: false };
    this.promised.set(em, promised);
    this.database.afterCommit(async () => {
      if (promised.isDue) void this.slots.offer();
      for (const lane of promised.lanes.values()) if (await this.lines.serve(lane)) void this.slots.offer();
    });
    return promised;
  }
}

/** With as many places as the widest of those that are to be served asks for. */
function serveToo({ lanes }: Promised, { lane, width }: Lane): void {
  lanes.set(lane, { lane, width: Math.max(width, lanes.get(lane)?.width ?? 1) });
}
