import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { DemoService } from './demo.service.js';

@Module({ imports: [TenancyModule, AccessModule, WebhooksModule], providers: [DemoService] })
export class DemoModule {}
