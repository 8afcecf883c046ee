import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DockModule } from '../dock/dock.module.js';
import { FilesModule } from '../files/files.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { McpConnectionsModule } from '../mcp-connections/mcp-connections.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { CallbacksController } from './callbacks/callbacks.controller.js';
import { CallbackReceiver, CallbacksService } from './callbacks/callbacks.service.js';
import { CompiledTools } from './definitions/compiled-tools.js';
import { BodyBudget } from './nodes/body-budget.js';
import { ClientTokens } from './nodes/client-tokens.js';
import { FormFiles } from './nodes/form-files.js';
import { HttpBodies } from './nodes/http-body.js';
import { NODE_KINDS, NodeKinds } from './nodes/node-kinds.js';
import { RunEndings } from './runs/run-endings.js';
import { RunEngine } from './runs/run-engine.js';
import { RunListeners } from './runs/run-listeners.js';
import { InputChecks } from './documents/input-checks.js';
import { CheckedInputs } from './runs/checked-inputs.js';
import { Records } from './runs/records.js';
import { Scripts } from './scripts/scripts.js';
import { Suspension } from './callbacks/suspension.entity.js';
import { Suspensions } from './callbacks/suspensions.js';
import { DocumentReader } from './documents/document-reader.js';
import { Tool } from './definitions/tool.entity.js';
import { ToolExports } from './documents/tool-exports.js';
import { ToolFiles } from './documents/tool-files.js';
import { ToolRun, ToolRunStep } from './runs/tool-run.entity.js';
import { ToolRunsController } from './runs/tool-runs.controller.js';
import { OfferedTools } from './runs/offered-tools.service.js';
import { SuspendedRuns } from './runs/suspended-runs.js';
import { ToolRuns } from './runs/tool-runs.service.js';
import { ToolSchemasController } from './documents/tool-schemas.controller.js';
import { ToolVersion } from './definitions/tool-version.entity.js';
import { ToolsAdminController } from './definitions/tools.admin.controller.js';
import { ToolsController } from './definitions/tools.controller.js';
import { EndDelay, EndSuspension, RunTool, WatchRun } from './runs/tools.processor.js';
import './tools.retention.js';
import { ToolInstallsService } from './definitions/tool-installs.service.js';
import { ToolsService } from './definitions/tools.service.js';
import { DeployTool, ExportTool, ImportTool } from './definitions/tools.works.js';
import { ToolProblems } from './tool-problems.js';
import { VersionSecrets } from './definitions/version-secrets.js';

/** Tools that agents and programs call. They are flows of nodes that are imported as documents, deployed and run. */
@Module({
  imports: [
    TenancyModule,
    FilesModule,
    DockModule,
    GatewayModule,
    McpConnectionsModule,
    TracesModule,
    DiscoveryModule,
    MikroOrmModule.forFeature([Tool, ToolVersion, ToolRun, ToolRunStep, Suspension]),
  ],
  controllers: [ToolsController, ToolRunsController, ToolSchemasController, CallbacksController, ToolsAdminController],
  providers: [
    ToolsService,
    ToolInstallsService,
    ToolProblems,
    ToolRuns,
    OfferedTools,
    ToolFiles,
    ToolExports,
    VersionSecrets,
    CompiledTools,
    ImportTool,
    DeployTool,
    ExportTool,
    RunEngine,
    RunEndings,
    RunListeners,
    SuspendedRuns,
    RunTool,
    EndDelay,
    EndSuspension,
    WatchRun,
    Suspensions,
    CallbacksService,
    CallbackReceiver,
    Scripts,
    DocumentReader,
    InputChecks,
    CheckedInputs,
    Records,
    NodeKinds,
    BodyBudget,
    FormFiles,
    HttpBodies,
    ClientTokens,
    ...NODE_KINDS,
  ],
  exports: [ToolRuns, OfferedTools, ToolsService, ToolInstallsService],
})
export class ToolsModule {}
