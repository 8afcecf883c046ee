import { Module } from '@nestjs/common';
import { AccessModule } from './modules/access/access.module.js';
import { AgentAssistModule } from './modules/agent-assist/agent-assist.module.js';
import { ConnectionsModule } from './modules/connections/connections.module.js';
import { DemoModule } from './modules/demo/demo.module.js';
import { FilesModule } from './modules/files/files.module.js';
import { GatewayModule } from './modules/gateway/gateway.module.js';
import { LedgerModule } from './modules/ledger/ledger.module.js';
import { TenancyModule } from './modules/tenancy/tenancy.module.js';
import { TracesModule } from './modules/traces/traces.module.js';
import { PlatformModule } from './platform/platform.module.js';

@Module({
  imports: [
    PlatformModule,
    TenancyModule,
    AccessModule,
    FilesModule,
    LedgerModule,
    TracesModule,
    GatewayModule,
    ConnectionsModule,
    AgentAssistModule,
    DemoModule,
  ],
})
export class AppModule {}
