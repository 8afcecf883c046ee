import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentAssistModule } from '../agent-assist/agent-assist.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { BeginConversation, DemoConversation, RunDemoTool } from './demo-conversation.js';
import { DemoModel } from './demo-model.js';
import { DemoService } from './demo.service.js';

@Module({
  imports: [
    TenancyModule,
    AccessModule,
    ConnectionsModule,
    AgentsModule,
    WebhooksModule,
    ToolsModule,
    AgentAssistModule,
  ],
  providers: [DemoService, DemoConversation, BeginConversation, RunDemoTool, DemoModel],
})
export class DemoModule {}
