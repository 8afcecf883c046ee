import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentAssistModule } from '../agent-assist/agent-assist.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { DemoService } from './demo.service.js';

@Module({
  imports: [TenancyModule, AccessModule, AgentsModule, WebhooksModule, ToolsModule, AgentAssistModule],
  providers: [DemoService],
})
export class DemoModule {}
