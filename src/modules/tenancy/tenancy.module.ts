import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { App, Environment } from './app.entity.js';
import { Environments } from './environments.service.js';
import { LiveEnvironments } from './live-environments.service.js';
import { Project } from './project.entity.js';
import { RetentionAdminController } from './retention.admin.controller.js';
import { TenancyAdminController } from './tenancy.admin.controller.js';
import { TenancyService } from './tenancy.service.js';

@Module({
  imports: [MikroOrmModule.forFeature([Project, App, Environment])],
  controllers: [TenancyAdminController, RetentionAdminController],
  providers: [TenancyService, Environments, LiveEnvironments],
  exports: [TenancyService, Environments],
})
export class TenancyModule {}
