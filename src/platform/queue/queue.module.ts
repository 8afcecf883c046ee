import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Settings } from '../config/settings.js';
import { Bells } from './bells.js';
import { JobHandlers } from './job-handlers.js';
import { JobStore } from './job-store.js';
import { Jobs } from './jobs.js';
import { LaneRunner } from './lane-runner.js';
import { BELLS_IN, BELLS_OUT, listening, ringing } from './queue-connections.js';
import { Worker } from './worker.js';

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
  providers: [Bells, JobStore, JobHandlers, Jobs, LaneRunner, Worker],
  exports: [Jobs],
})
export class QueueModule {}
