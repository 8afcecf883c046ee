import { Module } from '@nestjs/common';
import { AgentsModule } from './modules/agents/agents.module.js';
import { SessionsModule } from './modules/sessions/sessions.module.js';
import { AccessModule } from './modules/access/access.module.js';
import { AgentAssistModule } from './modules/agent-assist/agent-assist.module.js';
import { ConnectionsModule } from './modules/connections/connections.module.js';
import { DemoModule } from './modules/demo/demo.module.js';
import { DockModule } from './modules/dock/dock.module.js';
import { FilesModule } from './modules/files/files.module.js';
import { GatewayModule } from './modules/gateway/gateway.module.js';
import { LedgerModule } from './modules/ledger/ledger.module.js';
import { McpConnectionsModule } from './modules/mcp-connections/mcp-connections.module.js';
import { McpModule } from './modules/mcp/mcp.module.js';
import { ModelsModule } from './modules/models/models.module.js';
import { TenancyModule } from './modules/tenancy/tenancy.module.js';
import { ToolsModule } from './modules/tools/tools.module.js';
import { TracesModule } from './modules/traces/traces.module.js';
import { WebhooksModule } from './modules/webhooks/webhooks.module.js';
import { PlatformModule } from './platform/platform.module.js';

@Module({
  imports: [
    PlatformModule,
    TenancyModule,
    AccessModule,
    FilesModule,
    DockModule,
    LedgerModule,
    TracesModule,
    GatewayModule,
    ConnectionsModule,
    ModelsModule,
    McpConnectionsModule,
    ToolsModule,
    McpModule,
    SessionsModule,
    AgentsModule,
    WebhooksModule,
    AgentAssistModule,
    DemoModule,
  ],
})
export class AppModule {}
