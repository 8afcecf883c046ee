import { Global, Module } from '@nestjs/common';
import { ComputePool } from './compute-pool.js';

/** Runs what strangers wrote in threads that can be terminated. */
@Global()
@Module({ providers: [ComputePool], exports: [ComputePool] })
export class ComputeModule {}
