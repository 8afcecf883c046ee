import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { bellQueues, bullModule } from './bell-queues.js';
import { Bells } from './bells.js';
import { Heartbeat } from './heartbeat.js';
import { HeldJobsCheck } from './held-jobs.check.js';
import { Job } from './job.entity.js';
import { JobEndings } from './job-endings.js';
import { JobHandlers } from './job-handlers.js';
import { JobMetrics } from './job-metrics.js';
import { JobRunner } from './job-runner.js';
import { FailedJobs } from './administration/failed-jobs.js';
import { JobSummaries } from './administration/job-summaries.js';
import { Jobs } from './jobs.js';
import { JobsAdminController } from './administration/jobs.admin.controller.js';
import { JobsAdminService } from './administration/jobs.admin.service.js';
import { QueueBoard } from './administration/queue-board.js';
import { Lanes } from './lanes.js';
import { QueueConnectionsModule } from './queue-connections.js';
import { Recovery } from './recovery.js';
import { Slots } from './slots.js';
import { Worker } from './worker.js';
import { WORKER_STATEMENTS, workerProviders } from './worker-statements.js';

/** Provides jobs: work that outlives the request which caused it. */
@Global()
@Module({
  imports: [DiscoveryModule, MikroOrmModule.forFeature([Job]), QueueConnectionsModule, bullModule],
  controllers: [JobsAdminController],
  providers: [
    bellQueues,
    Bells,
    Lanes,
    JobEndings,
    JobHandlers,
    JobMetrics,
    JobSummaries,
    FailedJobs,
    JobRunner,
    Jobs,
    JobsAdminService,
    QueueBoard,
    Slots,
    Heartbeat,
    HeldJobsCheck,
    Recovery,
    Worker,
    ...workerProviders,
  ],
  exports: [FailedJobs, Jobs, WORKER_STATEMENTS],
})
export class QueueModule {}
