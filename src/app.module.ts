import { Module } from '@nestjs/common';
import { AccessModule } from './modules/access/access.module.js';
import { DemoModule } from './modules/demo/demo.module.js';
import { TenancyModule } from './modules/tenancy/tenancy.module.js';
import { PlatformModule } from './platform/platform.module.js';

@Module({ imports: [PlatformModule, TenancyModule, AccessModule, DemoModule] })
export class AppModule {}
