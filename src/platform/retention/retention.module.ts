import { Global, Module } from '@nestjs/common';
import './platform.retention.js';
import { RetentionPeriods } from './retention-periods.js';
import { SweepRetention } from './retention.processor.js';

/** What grows is kept for as long as is said, and no longer. */
@Global()
@Module({ providers: [RetentionPeriods, SweepRetention], exports: [RetentionPeriods] })
export class RetentionModule {}
