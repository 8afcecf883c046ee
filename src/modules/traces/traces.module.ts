import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { Observing } from './observing.service.js';
import { OtlpController } from './otlp.controller.js';
import { OtlpService } from './otlp.service.js';
import './traces.retention.js';
import { TracesController } from './traces.controller.js';
import { TracesReading } from './traces-reading.service.js';
import { TracesService } from './traces.service.js';
import { Observation } from './observation.entity.js';
import { Trace } from './trace.entity.js';
import { MikroOrmModule } from '@mikro-orm/nestjs';

/** Records and shows what ran: traces, each of which is a tree of observations. */
@Module({
  imports: [LedgerModule, MikroOrmModule.forFeature([Trace, Observation])],
  controllers: [OtlpController, TracesController],
  providers: [OtlpService, Observing, TracesReading, TracesService],
  exports: [Observing, TracesService],
})
export class TracesModule {}
