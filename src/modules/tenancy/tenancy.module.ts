import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { App, Environment } from './app.entity.js';
import { Environments } from './environments.service.js';
import { JobProblems } from './job-problems.js';
import { LiveEnvironments } from './live-environments.service.js';
import { ProblemsAdminController } from './problems.admin.controller.js';
import { Problems } from './problems.service.js';
import { Project } from './project.entity.js';
import { RetentionAdminController } from './retention.admin.controller.js';
import { TenancyAdminController } from './tenancy.admin.controller.js';
import { TenancyService } from './tenancy.service.js';

@Module({
  imports: [DiscoveryModule, MikroOrmModule.forFeature([Project, App, Environment])],
  controllers: [TenancyAdminController, RetentionAdminController, ProblemsAdminController],
  providers: [TenancyService, Environments, LiveEnvironments, Problems, JobProblems],
  exports: [TenancyService, Environments],
})
export class TenancyModule {}
