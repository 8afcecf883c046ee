import type { Transaction } from '../database/transaction.js';
import { NamedMark } from '../extension/named-mark.js';
import { demandDefined } from '../../kernel/named-definitions.js';
import { type JobDefinition, jobDefinitions } from './job-definition.js';
import type { JobRun } from './job-run.js';

/**
 * Runs the jobs of one definition. `run` may be called again for the same job, because a process can die at any moment.
 */
export abstract class JobHandler<Data> {
  /**
   * Runs one attempt. It ends with `job.finish(effect)`, which commits the effect and the state `done` together, or
   * with `job.suspend` or `job.release`, or it throws.
   */
  abstract run(job: JobRun<Data>): Promise<void>;

  /**
   * Locks the rows that `onFailed` is going to change. A cancellation calls it before it locks the job, because every
   * transaction that ends an attempt locks the job after them, too.
   */
  async lock(_tx: Transaction, _data: Data): Promise<void> {}

  /**
   * Runs in the transaction in which the job fails for good. It passes the failure on to the rows that wait for the
   * job.
   */
  async onFailed(_tx: Transaction, _data: Data, _reason: string): Promise<void> {}
}

export const jobHandlers = new NamedMark<JobHandler<unknown>, JobDefinition>(
  [JobHandler],
  'handle the job',
  ({ name }) => [name],
  'Remove one of them.',
);

/** Marks the one provider that runs the jobs of this definition. */
export function HandlesJob(definition: JobDefinition<never> | JobDefinition): ClassDecorator {
  return (target) => {
    demandDefined(`${target.name} handles a job`, definition, jobDefinitions(), 'defineJob');
    jobHandlers.marks(definition)(target);
  };
}
