import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Settings } from '../config/settings.js';
import { Bells } from './bells.js';
import { InterventionStore } from './intervention-store.js';
import { JobEndings } from './job-endings.js';
import { JobHandlers } from './job-handlers.js';
import { JobListing } from './administration/job-listing.js';
import { JobMetrics } from './job-metrics.js';
import { JobRunner } from './job-runner.js';
import { JobStore } from './job-store.js';
import { JobSummaries } from './administration/job-summaries.js';
import { Jobs } from './jobs.js';
import { JobsAdminController } from './administration/jobs.admin.controller.js';
import { JobsAdminService } from './administration/jobs.admin.service.js';
import { LineStore } from './line-store.js';
import { BELLS_IN, BELLS_OUT, listening, ringing } from './queue-connections.js';
import { Recovery } from './recovery.js';
import { RecoveryStore } from './recovery-store.js';
import { SignsOfLife } from './signs-of-life.js';
import { Slots } from './slots.js';
import { Worker } from './worker.js';
import { WORKER_STATEMENTS, workerProviders } from './worker-statements.js';

/** Work that outlives the request that asked for it. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    BullModule.registerQueueAsync(
      { name: BELLS_OUT, useFactory: ringing, inject: [Settings] },
      { name: BELLS_IN, useFactory: listening, inject: [Settings] },
    ),
  ],
  controllers: [JobsAdminController],
  providers: [
    Bells,
    JobStore,
    LineStore,
    InterventionStore,
    RecoveryStore,
    JobEndings,
    JobHandlers,
    JobMetrics,
    JobSummaries,
    JobRunner,
    Jobs,
    JobListing,
    JobsAdminService,
    Slots,
    SignsOfLife,
    Recovery,
    Worker,
    ...workerProviders,
  ],
  exports: [Jobs, WORKER_STATEMENTS],
})
export class QueueModule {}
