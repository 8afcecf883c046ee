import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM } from '@mikro-orm/postgresql';
import { Global, Module } from '@nestjs/common';
import './platform.retention.js';
import { ProjectRetention } from './project-retention.entity.js';
import { refuseSweepsWithoutProject } from './retention-rule.js';
import { RetentionPeriods } from './retention-periods.js';
import { SweepRetention } from './retention.processor.js';

/** Keeps growing tables for their retention periods and no longer. */
@Global()
@Module({
  imports: [MikroOrmModule.forFeature([ProjectRetention])],
  providers: [RetentionPeriods, SweepRetention],
  exports: [RetentionPeriods],
})
export class RetentionModule {
  constructor(orm: MikroORM) {
    refuseSweepsWithoutProject(orm);
  }
}
