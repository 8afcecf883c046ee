import { Inject, Injectable } from '@nestjs/common';
import { recurringJobs } from './job-definition.js';
import type { QueueName } from '../../kernel/queues.js';
import { MINUTE_MS } from '../../kernel/spans.js';
import { Settings } from '../config/settings.js';
import { Statements } from '../database/statements.js';
import { JobRepository } from './job.repository.js';
import { Lanes } from './lanes.js';
import { type Look, look } from './look.statement.js';
import { keepRecurring } from './recurring.statement.js';
import { WORKER_LANES, WORKER_STATEMENTS } from './worker-statements.js';

const LANES_PER_PASS = 1_000;

/** How often the rows of recurring jobs are checked. They are missing in an empty database and after a new release. */
const KEEP_RECURRING_EVERY_MS = MINUTE_MS;

/**
 * The time after an outage of the database in which no job is reclaimed, so that living processes can renew their
 * leases first.
 */
const RENEWED_FIRST_MS = 5_000;

/**
 * Does the periodic work of a worker for the queues that it serves: reclaims what dead processes leave behind, and ends
 * suspensions. It serves the lanes of all queues, and keeps the rows of all recurring jobs.
 */
@Injectable()
export class Recovery {
  private lastLane = '';
  private keepRecurringAt = 0;
  private reclaimAt = 0;
  private readonly queues: readonly QueueName[];

  constructor(
    private readonly jobs: JobRepository,
    @Inject(WORKER_STATEMENTS) private readonly worker: Statements,
    @Inject(WORKER_LANES) private readonly lanes: Lanes,
    settings: Settings,
  ) {
    this.queues = [...settings.SLIPWAY_QUEUES.keys()];
  }

  /** Looks for work, and repairs what the look shows. When there is nothing to do, it costs one statement. */
  async recover(): Promise<Look> {
    if (performance.now() >= this.keepRecurringAt) {
      await this.keepRecurring();
      this.keepRecurringAt = performance.now() + KEEP_RECURRING_EVERY_MS;
    }
    const seen = await this.worker.ask(look(this.queues)).catch((error: unknown) => {
      this.reclaimAt = performance.now() + RENEWED_FIRST_MS;
      throw error;
    });
    if (seen.hasExpired && performance.now() >= this.reclaimAt)
      await this.worker.ask(this.jobs.reclaimExpired(this.queues));
    if (seen.hasSuspensionOver) await this.worker.ask(this.jobs.endSuspensions(this.queues));
    if (seen.hasQueue) await this.serveLanes();
    return seen;
  }

  async keepRecurring(): Promise<void> {
    const recurring = recurringJobs();
    if (recurring.length > 0) await this.worker.ask(keepRecurring(recurring));
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
