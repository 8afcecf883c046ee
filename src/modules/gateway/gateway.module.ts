import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { Breakers } from './breakers.js';
import { CallWriting } from './call-writing.js';
import { Gateway } from './gateway.service.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { LlmController } from './llm.controller.js';
import { MockModels } from './mock-model.js';
import { ModelTargets } from './model-targets.js';

/** Calls models of all providers and records the calls. A module that has models implements ModelTarget. */
@Module({
  imports: [DiscoveryModule, LedgerModule, TracesModule],
  controllers: [LlmController],
  providers: [Gateway, CallWriting, GatewayMetrics, ModelTargets, Breakers, MockModels],
  exports: [Gateway],
})
export class GatewayModule {}
