import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { DockEvents } from './dock-events.js';
import { DockJob } from './dock-job.entity.js';
import { DockLinks } from './dock-links.js';
import { DockMetrics } from './dock-metrics.js';
import { DockWorks } from './dock-works.js';
import { DockAdminController } from './dock.admin.controller.js';
import { DockController } from './dock.controller.js';
import { RunDockJob } from './dock.processor.js';
import './dock.retention.js';
import { Dock } from './dock.service.js';

/** Imports, exports, deployments and undeployments of tools and models, as jobs that clients follow. */
@Module({
  imports: [TenancyModule, DiscoveryModule, MikroOrmModule.forFeature([DockJob])],
  controllers: [DockController, DockAdminController],
  providers: [Dock, DockWorks, DockLinks, DockEvents, DockMetrics, RunDockJob],
  exports: [Dock],
})
export class DockModule {}
