import { MINUTE_MS } from '../../kernel/spans.js';
import { Statements } from '../database/statements.js';
import { HandlesJob, JobHandler } from '../queue/job-handler.js';
import type { JobRun } from '../queue/job-run.js';
import { RetentionPeriods } from './retention-periods.js';
import { type RetentionRule, retentionRules } from './retention-rule.js';
import { sweepRetention } from './retention.jobs.js';

/** How long one rule may take in one run. */
const RULE_MS = MINUTE_MS;

/** Runs all retention rules. A rule that fails does not stop the others. */
@HandlesJob(sweepRetention)
export class SweepRetention extends JobHandler<object> {
  constructor(
    private readonly periods: RetentionPeriods,
    private readonly statements: Statements,
  ) {
    super();
  }

  async run(job: JobRun<object>): Promise<void> {
    const removed: Record<string, number> = {};
    const failures: string[] = [];
    for (const rule of retentionRules()) {
      job.signal.throwIfAborted();
      try {
        removed[rule.name] = await this.follow(rule, job.signal);
      } catch (error) {
        failures.push(`${rule.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await job.report(removed);
    }
    if (failures.length > 0) throw new Error(`The sweeper could not delete everything: ${failures.join('; ')}`);
  }

  private async follow(rule: RetentionRule, signal: AbortSignal): Promise<number> {
    const end = performance.now() + RULE_MS;
    return rule.sweep.run({
      statements: this.statements,
      cutoffs: await this.periods.cutoffs(rule),
      hasTime: () => !signal.aborted && performance.now() < end,
    });
  }
}
