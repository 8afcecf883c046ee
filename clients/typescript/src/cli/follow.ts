import type { DockJob, DockJobStarted, DockJobState } from '../dock-job.js';
import type { Invocation } from './command.js';

/** Waits for a job with a bar. An error names the job. */
export async function followed<Started extends DockJobStarted>(
  job: DockJob<Started>,
  stage: string,
  { terminal, facts }: Invocation,
): Promise<DockJobState> {
  facts.dockStatusId = (await job).dockStatusId;
  return job.wait({ onProgress: (progress) => terminal.bar(progress.stage ?? stage, progress.percent) });
}
