import { MethodMark } from '../extension/method-mark.js';
import type { JobDefinition } from './job-definition.js';
import { JobHandler } from './job-handler.js';
import type { JobRun } from './job-run.js';

/** Methods that run the jobs of a definition. Each receives the data of the job, and the attempt. */
export const jobMethods = new MethodMark<JobDefinition>('handle jobs');

/** Runs jobs with a marked method. */
export class JobMethod extends JobHandler<unknown> {
  constructor(private readonly call: (data: unknown, job: JobRun<unknown>) => unknown) {
    super();
  }

  async run(job: JobRun<unknown>): Promise<void> {
    await this.call(job.data, job);
  }
}
