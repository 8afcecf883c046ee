import type { Transaction } from '../database/transaction.js';
import { Mark } from '../extension/mark.js';
import type { JobDefinition } from './job-definition.js';
import type { JobRun } from './job-run.js';

/** Does one kind of job. It may be called again for the same job, since a process can die at any moment. */
export abstract class JobHandler<Data> {
  /** Ends with `job.finish(effect)`, where the effect and "done" commit together; or with `job.suspend`; or throws. */
  abstract run(job: JobRun<Data>): Promise<void>;

  /**
   * Locks what `gaveUp` is going to change. Called before somebody cancels the job, and so locks it: whoever ends an
   * attempt locks the job last, too.
   */
  async lock(_tx: Transaction, _data: Data): Promise<void> {}

  /** In the transaction that gives the job up: the place to tell whoever waits for it. */
  async gaveUp(_tx: Transaction, _data: Data, _reason: string): Promise<void> {}
}

export const jobHandlers = new Mark<JobHandler<unknown>, JobDefinition>('handle the job');

/** Marks the one provider that does this kind of job. */
export function HandlesJob(definition: JobDefinition<never> | JobDefinition): ClassDecorator {
  return jobHandlers.says(definition);
}
