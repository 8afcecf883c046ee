import { Inject, Injectable } from '@nestjs/common';
import { jobDefinitions } from './job-definition.js';
import { Statements } from '../database/statements.js';
import { JobRepository } from './job.repository.js';
import { Lanes } from './lanes.js';
import { WORKER_LANES, WORKER_STATEMENTS } from './worker-statements.js';

const LANES_PER_PASS = 1_000;

/** Repairs what dead processes and collisions leave behind. Every worker does this once a second. */
@Injectable()
export class Recovery {
  private lastLane = '';

  constructor(
    private readonly jobs: JobRepository,
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
    @Inject(WORKER_LANES) private readonly lanes: Lanes,
  ) {}

  async recover(): Promise<void> {
    await this.worker.ask(this.jobs.reclaimExpired());
    await this.worker.ask(this.jobs.endSuspensions());
    await this.serveLanes();
    await this.keepRecurring();
  }

  private async keepRecurring(): Promise<void> {
    for (const definition of jobDefinitions()) {
      const { every } = definition;
      if (every !== null) await this.worker.ask(this.jobs.keepRecurring(definition, every));
    }
  }

  /**
   * Serves lanes that have a free place and a queued job for it. A lane is left like this when a process dies right
   * after a commit, or when two transactions each skip a row that the other has locked.
   */
  private async serveLanes(): Promise<void> {
    const { lanes, last } = await this.lanes.neglected(this.lastLane, LANES_PER_PASS);
    this.lastLane = last;
    const failures: unknown[] = [];
    for (const lane of lanes) await this.lanes.serve(lane).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Lanes could not be served');
  }
}
