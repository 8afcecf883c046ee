import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { LedgerController } from './ledger.controller.js';
import './ledger.retention.js';
import { RepriceCalls, TidyLedger } from './ledger.processor.js';
import { LedgerExport } from './ledger-export.service.js';
import { LedgerPolicies } from './ledger-policies.service.js';
import { LedgerPolicyAdminController } from './ledger-policy.admin.controller.js';
import { LedgerPolicy } from './ledger-policy.entity.js';
import { LedgerReading } from './ledger-reading.service.js';
import { LedgerSummaries } from './ledger-summaries.service.js';
import { LedgerWriting } from './ledger-writing.service.js';
import { ModelPrice } from './model-price.entity.js';
import { ModelPricesAdminController } from './model-prices.admin.controller.js';
import { Partitions } from './partitions.js';
import { Prices } from './prices.service.js';
import { Repricing } from './repricing.entity.js';
import { RepricingsController } from './repricings.controller.js';
import { Repricings } from './repricings.service.js';
import { Tidying } from './tidying.service.js';

/** What every LLM call of a project took and cost. */
@Module({
  imports: [TenancyModule, MikroOrmModule.forFeature([LedgerPolicy, ModelPrice, Repricing])],
  controllers: [LedgerController, LedgerPolicyAdminController, ModelPricesAdminController, RepricingsController],
  providers: [
    LedgerReading,
    LedgerWriting,
    LedgerSummaries,
    LedgerExport,
    LedgerPolicies,
    Partitions,
    Prices,
    Tidying,
    TidyLedger,
    Repricings,
    RepriceCalls,
  ],
  exports: [LedgerPolicies, LedgerWriting, Prices],
})
export class LedgerModule {}
