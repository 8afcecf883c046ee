import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../auth/callers.js';
import { data, page } from '../../route/answer.js';
import { PathId } from '../../route/path-id.js';
import { AdminRoute } from '../../route/route.js';
import { jobList, type JobsRequest } from './job.list.js';
import { JobSummaryView, JobView, LaneQuery, LaneSummaryView, toJobView } from './jobs.admin.schema.js';
import { JobsAdminService } from './jobs.admin.service.js';
import { jobErrors } from '../jobs.errors.js';

/**
 * Belongs to the platform, as /health does: jobs of every domain are rows of one table, which only this folder knows.
 */
@ApiTags('Administration: jobs')
@Controller()
export class JobsAdminController {
  constructor(private readonly jobs: JobsAdminService) {}

  @AdminRoute('GET /jobs', {
    summary: 'List jobs, by default newest first',
    rightIn: 'installation',
    returns: page(JobView),
  })
  async list(@Query({ schema: jobList.query }) query: JobsRequest) {
    return mapPage(await this.jobs.list(query), toJobView);
  }

  @AdminRoute('GET /jobs/summary', {
    summary: 'Count the waiting, running, suspended, late and failed jobs of each name and queue',
    rightIn: 'installation',
    returns: data(z.array(JobSummaryView)),
  })
  async summarize() {
    return this.jobs.summarize();
  }

  @AdminRoute('GET /jobs/lanes', {
    summary: 'Count the jobs of the lanes in which most jobs wait, fullest lane first',
    description:
      'The lanes that have jobs which have not ended, or have failed. Jobs that have a lane to themselves are left out.',
    rightIn: 'installation',
    returns: data(z.array(LaneSummaryView)),
  })
  async lanes(@Query({ schema: LaneQuery }) { limit }: LaneQuery) {
    return this.jobs.lanes(limit);
  }

  @AdminRoute('GET /jobs/{jobId}', {
    summary: 'Read a job',
    rightIn: 'installation',
    returns: data(JobView),
    errors: [jobErrors.jobNotFound],
  })
  async read(@PathId('job') jobId: Id<'job'>) {
    return toJobView(await this.jobs.read(jobId));
  }

  @AdminRoute('POST /jobs/{jobId}/cancel', {
    summary: 'Cancel a job that has not ended',
    description:
      'The rows that wait for the job are updated as after a failure. The signal of a running attempt is aborted, and the attempt has no further effect. A recurring job is due again after its interval.',
    rightIn: 'installation',
    returns: data(JobView),
    errors: [jobErrors.jobNotFound, jobErrors.jobEnded],
    takesIdempotencyKey: false,
  })
  async cancel(@Administrator() actor: AdminActor, @PathId('job') jobId: Id<'job'>) {
    return toJobView(await this.jobs.cancel(actor, jobId));
  }

  @AdminRoute('POST /jobs/{jobId}/retry', {
    summary: 'Run a failed job again, with all its attempts',
    rightIn: 'installation',
    returns: data(JobView),
    errors: [jobErrors.jobNotFound, jobErrors.jobNotFailed],
  })
  async retry(@Administrator() actor: AdminActor, @PathId('job') jobId: Id<'job'>) {
    return toJobView(await this.jobs.retry(actor, jobId));
  }
}
