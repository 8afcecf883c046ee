import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { App, Environment } from './app.entity.js';
import { EnvironmentsService } from './environments.service.js';
import { Places } from './places.service.js';
import { Project } from './project.entity.js';
import { RetentionAdminController } from './retention.admin.controller.js';
import { TenancyAdminController } from './tenancy.admin.controller.js';
import { TenancyService } from './tenancy.service.js';

@Module({
  imports: [MikroOrmModule.forFeature([Project, App, Environment])],
  controllers: [TenancyAdminController, RetentionAdminController],
  providers: [TenancyService, EnvironmentsService, Places],
  exports: [TenancyService, Places],
})
export class TenancyModule {}
