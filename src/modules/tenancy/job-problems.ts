import type { Id } from '../../kernel/ids.js';
import { FailedJobs } from '../../platform/queue/administration/failed-jobs.js';
import { counted, FindsProblems, type Problem, ProblemSource } from './problems.port.js';

/** The queue belongs to the platform, which knows no project, so this module reports its failed jobs. */
@FindsProblems()
export class JobProblems extends ProblemSource {
  constructor(private readonly failedJobs: FailedJobs) {
    super();
  }

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const failed = await this.failedJobs.ofProject(projectId);
    return failed.map(({ name, count, error }) => ({
      kind: 'JOBS_FAILED',
      message: `${counted(count, 'job')} ${name} failed. ${error}`,
      subject: name,
    }));
  }
}
