import { Global, Module } from '@nestjs/common';
import { ComputePool } from './compute-pool.js';

/** What is computed for strangers, where it can be stopped. */
@Global()
@Module({ providers: [ComputePool], exports: [ComputePool] })
export class ComputeModule {}
