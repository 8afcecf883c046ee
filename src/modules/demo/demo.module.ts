import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { DemoService } from './demo.service.js';

@Module({ imports: [TenancyModule, AccessModule, AgentsModule, WebhooksModule], providers: [DemoService] })
export class DemoModule {}
