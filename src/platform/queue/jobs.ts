import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { Database } from '../database/database.js';
import { Bells } from './bells.js';
import type { JobDefinition } from './job-definition.js';
import { JobStore } from './job-store.js';

interface JobOptions {
  /** Jobs of one lane run one at a time, in the order they were added. Without one the job has a lane to itself. */
  lane?: string;
  runAt?: Date;
}

/** What is promised to happen. Call it in the transaction of what causes it: both are kept, or neither is. */
@Injectable()
export class Jobs {
  constructor(
    private readonly database: Database,
    private readonly store: JobStore,
    private readonly bells: Bells,
  ) {}

  async add<Data>(em: EntityManager, job: JobDefinition<Data>, data: Data, options: JobOptions = {}): Promise<string> {
    const id = newId('job');
    const { lane = id, runAt = clock.now() } = options;
    await this.store.insert(em, { id, name: job.name, lane, data: job.data.parse(data), runAt });
    this.database.afterCommit(() => this.ringIfNext(id, lane));
    return id;
  }

  /** Ends the job's suspension. False when it was not suspended. */
  async resume(em: EntityManager, jobId: string): Promise<boolean> {
    const lane = await this.store.resume(em, jobId);
    if (lane) this.database.afterCommit(() => void this.bells.ring(lane));
    return lane !== null;
  }

  /** A running job is told by its signal; whatever it does afterwards has no effect. False when it had ended. */
  cancel(em: EntityManager, jobId: string, reason: string): Promise<boolean> {
    return this.store.cancel(em, jobId, reason);
  }

  /** Whoever ends a job rings for the next one, so that a long lane needs one bell. */
  private async ringIfNext(id: string, lane: string): Promise<void> {
    if (lane === id || (await this.store.isNext(id, lane))) void this.bells.ring(lane);
  }
}
