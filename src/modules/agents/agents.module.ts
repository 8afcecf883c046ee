import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ConnectionsModule } from '../connections/connections.module.js';
import { FilesModule } from '../files/files.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ConversationScript } from '../sessions/sessions.port.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { LiveVersions } from '../tenancy/tenancy.port.js';
import { ToolsModule } from '../tools/tools.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { Activation } from './activation.entity.js';
import { ActivationsAdminController } from './activations.admin.controller.js';
import { ActivationsService } from './activations.service.js';
import { ActiveVersions } from './active-versions.js';
import { AgentScript } from './agent-script.js';
import { Agent, AgentVersion } from './agent.entity.js';
import { AgentsAdminController } from './agents.admin.controller.js';
import { TakeTurn } from './agents.processor.js';
import './agents.retention.js';
import { AgentsService } from './agents.service.js';
import { AttachedFiles } from './attached-files.js';
import { AuthProfile } from './auth-profile.entity.js';
import { AuthProfilesAdminController } from './auth-profiles.admin.controller.js';
import { AuthProfilesService } from './auth-profiles.service.js';
import { CallCounts } from './call-counts.js';
import { History } from './history.js';
import { IdentityProviders } from './identity-providers.js';
import { ModelSteps } from './model-steps.js';
import { Proposals } from './proposals.service.js';
import { RunStore } from './run-store.js';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';
import { SessionGate } from './session-gate.service.js';
import { SignInStore } from './sign-in-store.js';
import { SignInController } from './sign-in.controller.js';
import { SignIns } from './sign-in.service.js';
import { SuspendedTurns } from './suspended-turns.js';
import { ToolSteps } from './tool-steps.js';
import { ToolsOfSessions } from './tools-of-sessions.js';
import { TurnEndings } from './turn-endings.service.js';
import { TurnSinks } from './turn-sinks.js';
import { TurnWork } from './turn-work.service.js';
import { Versions } from './versions.js';
import { Turns } from './turns.service.js';

/** Who answers in sessions. Global for the ports of sessions and tenancy that it implements. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    TenancyModule,
    ConnectionsModule,
    FilesModule,
    GatewayModule,
    SessionsModule,
    ToolsModule,
    TracesModule,
    MikroOrmModule.forFeature([Agent, AgentVersion, Activation, AuthProfile]),
  ],
  controllers: [
    AgentsAdminController,
    ActivationsAdminController,
    RunsController,
    AuthProfilesAdminController,
    SignInController,
  ],
  providers: [
    AgentsService,
    ActivationsService,
    Turns,
    SessionGate,
    RunsService,
    Proposals,
    RunStore,
    CallCounts,
    TakeTurn,
    TurnWork,
    TurnEndings,
    TurnSinks,
    ModelSteps,
    ToolSteps,
    SuspendedTurns,
    ToolsOfSessions,
    History,
    AttachedFiles,
    AuthProfilesService,
    SignIns,
    SignInStore,
    IdentityProviders,
    { provide: ConversationScript, useClass: AgentScript },
    ActiveVersions,
    Versions,
    { provide: LiveVersions, useExisting: ActiveVersions },
  ],
  exports: [ConversationScript, LiveVersions, Turns, SessionGate, Proposals, AgentsService, ActivationsService],
})
export class AgentsModule {}
