import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { CallSearch } from './read/call-search.js';
import { LedgerController } from './ledger.controller.js';
import './ledger.retention.js';
import { CorrectDesignTimeCalls, RepriceCalls, TidyLedger } from './ledger.processor.js';
import { LedgerExportLinks } from './read/ledger-export-links.service.js';
import { LedgerExportLinksController } from './read/ledger-export-links.controller.js';
import { LedgerExport } from './read/ledger-export.service.js';
import { LedgerPolicies } from './write/ledger-policies.service.js';
import { LedgerPolicyAdminController } from './write/ledger-policy.admin.controller.js';
import { LedgerPolicy } from './write/ledger-policy.entity.js';
import { LedgerLatencies } from './read/ledger-latencies.service.js';
import { LedgerReading } from './read/ledger-reading.service.js';
import { LedgerSummaries } from './read/ledger-summaries.service.js';
import { CallAdding } from './write/call-adding.service.js';
import { DesignTime } from './write/design-time.service.js';
import { LedgerWriting } from './write/ledger-writing.service.js';
import { ModelPrice } from './prices/model-price.entity.js';
import { ModelPricesAdminController } from './prices/model-prices.admin.controller.js';
import { LedgerSumsAdminController } from './read/ledger-sums.admin.controller.js';
import { Partitions } from './write/partitions.js';
import { Call } from './call.entity.js';
import { CallPayload } from './call-payload.entity.js';
import { Prices } from './prices/prices.service.js';
import { Repricing } from './prices/repricing.entity.js';
import { RepricingsController } from './prices/repricings.controller.js';
import { Repricings } from './prices/repricings.service.js';
import { Tidying } from './rollup/tidying.service.js';

/**
 * The LLM ledger: one row for each call of a model, with the tokens it used, the time it took and what it cost. Clients
 * and the other modules write calls; clients read them as pages, single calls, exports and sums.
 *
 * - `write/` validates calls and stores a batch in one statement. The table `ledger_key` makes a `callId` unique,
 *   `ledger_row` has the calls, `ledger_payload` their requests and responses, and `ledger_dim` the combinations of
 *   filter values. It also has the statements that delete expired calls.
 * - `rollup/` keeps sums of calls by hour and day, so that totals are exact without reading every call.
 * - `read/` finds calls: it matches filters to combinations, counts, and chooses how the rows of a page are read.
 * - `prices/` computes what calls cost, and reprices past calls when prices have changed.
 *
 * docs/ledger.md describes the interface, and docs/decisions/0008-the-ledgers-store.md the reasons for this storage.
 */
@Module({
  imports: [TenancyModule, MikroOrmModule.forFeature([Call, CallPayload, LedgerPolicy, ModelPrice, Repricing])],
  controllers: [
    LedgerController,
    LedgerExportLinksController,
    LedgerSumsAdminController,
    LedgerPolicyAdminController,
    ModelPricesAdminController,
    RepricingsController,
  ],
  providers: [
    CallSearch,
    LedgerReading,
    LedgerWriting,
    CallAdding,
    LedgerSummaries,
    LedgerLatencies,
    LedgerExport,
    LedgerExportLinks,
    LedgerPolicies,
    Partitions,
    Prices,
    Tidying,
    TidyLedger,
    DesignTime,
    CorrectDesignTimeCalls,
    Repricings,
    RepriceCalls,
  ],
  exports: [LedgerPolicies, LedgerSummaries, LedgerWriting, Prices],
})
export class LedgerModule {}
