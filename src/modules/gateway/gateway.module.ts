import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../../platform/http/http.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { Breakers } from './breakers.js';
import { CallBooks } from './call-books.js';
import { Gateway } from './gateway.service.js';
import { LlmController } from './llm.controller.js';
import { MockModels } from './mock-model.js';
import { ModelTargets } from './model-targets.js';

/** Calls models, whoever provides them: those who have some implement ModelTarget. */
@Module({
  imports: [DiscoveryModule, HttpModule, LedgerModule, TracesModule],
  controllers: [LlmController],
  providers: [Gateway, ModelTargets, Breakers, CallBooks, MockModels],
  exports: [Gateway],
})
export class GatewayModule {}
