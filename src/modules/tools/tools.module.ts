import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DockModule } from '../dock/dock.module.js';
import { FilesModule } from '../files/files.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { CallbacksController } from './callbacks.controller.js';
import { CallbackReceiver, CallbacksService } from './callbacks.service.js';
import { CompiledTools } from './compiled-tools.js';
import { NODE_KINDS, NodeKinds } from './nodes/node-kinds.js';
import { RunEndings } from './run-endings.js';
import { RunEnds } from './run-ends.js';
import { RunEngine } from './run-engine.js';
import { RunListeners } from './run-listeners.js';
import { RunStore } from './run-store.js';
import { ScriptPool } from './scripts/script-pool.js';
import { Suspensions } from './suspensions.js';
import { Tool } from './tool.entity.js';
import { ToolExports } from './tool-exports.js';
import { ToolFiles } from './tool-files.js';
import { ToolRunsController } from './tool-runs.controller.js';
import { ToolRuns } from './tool-runs.service.js';
import { ToolSchemasController } from './tool-schemas.controller.js';
import { ToolVersion } from './tool-version.entity.js';
import { ToolsAdminController } from './tools.admin.controller.js';
import { ToolsController } from './tools.controller.js';
import { EndSuspension, RunTool, WatchRun } from './tools.processor.js';
import './tools.retention.js';
import { ToolsService } from './tools.service.js';
import { DeployTool, ExportTool, ImportTool } from './tools.works.js';
import { VersionSafe } from './version-safe.js';

/** Tools that agents and others call: flows of nodes, imported as documents, deployed, run. */
@Module({
  imports: [
    TenancyModule,
    FilesModule,
    DockModule,
    GatewayModule,
    TracesModule,
    DiscoveryModule,
    MikroOrmModule.forFeature([Tool, ToolVersion]),
  ],
  controllers: [ToolsController, ToolRunsController, ToolSchemasController, CallbacksController, ToolsAdminController],
  providers: [
    ToolsService,
    ToolRuns,
    ToolFiles,
    ToolExports,
    VersionSafe,
    CompiledTools,
    ImportTool,
    DeployTool,
    ExportTool,
    RunStore,
    RunEngine,
    RunEndings,
    RunEnds,
    RunListeners,
    RunTool,
    EndSuspension,
    WatchRun,
    Suspensions,
    CallbacksService,
    CallbackReceiver,
    ScriptPool,
    NodeKinds,
    ...NODE_KINDS,
  ],
  exports: [ToolRuns, ToolsService],
})
export class ToolsModule {}
