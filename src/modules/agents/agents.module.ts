import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ConnectionsModule } from '../connections/connections.module.js';
import { FilesModule } from '../files/files.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { McpConnectionsModule } from '../mcp-connections/mcp-connections.module.js';
import { SignInProfiles } from '../mcp-connections/mcp-connections.port.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ConversationScript } from '../sessions/sessions.port.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { LiveVersions } from '../tenancy/tenancy.port.js';
import { ToolsModule } from '../tools/tools.module.js';
import { TracesModule } from '../traces/traces.module.js';
import { Activation } from './definitions/activation.entity.js';
import { ActivationsAdminController } from './definitions/activations.admin.controller.js';
import { ActivationsService } from './definitions/activations.service.js';
import { ActiveVersions } from './definitions/active-versions.js';
import { AgentScript } from './agent-script.js';
import { AgentRun } from './runs/agent-run.entity.js';
import { Agent, AgentVersion } from './definitions/agent.entity.js';
import { AgentsAdminController } from './definitions/agents.admin.controller.js';
import { TakeTurn } from './agents.processor.js';
import './agents.retention.js';
import { AgentsService } from './definitions/agents.service.js';
import { AuthProfile } from './sign-in/auth-profile.entity.js';
import { AuthProfilesAdminController } from './sign-in/auth-profiles.admin.controller.js';
import { AuthProfilesService } from './sign-in/auth-profiles.service.js';
import { Browsers } from './sign-in/browsers.js';
import { IdentityProviders } from './sign-in/identity-providers.js';
import { McpSteps } from './turns/mcp-steps.js';
import { ModelSteps } from './turns/model-steps.js';
import { Proposals } from './proposals.service.js';
import { RunsAdminController } from './runs/runs.admin.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { SessionGate } from './runs/session-gate.service.js';
import { ProfilesOfProjects } from './sign-in/profiles-of-projects.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInFlow } from './sign-in/sign-in-flow.entity.js';
import { SignIns } from './sign-in/sign-in.service.js';
import { SuspendedTurns } from './turns/suspended-turns.js';
import { ToolSteps } from './turns/tool-steps.js';
import { ToolsOfSessions } from './tools-of-sessions.js';
import { TurnEndings } from './turns/turn-endings.service.js';
import { TurnSinks } from './turns/turn.js';
import { TurnWork } from './turns/turn-work.service.js';
import { Turns } from './turns/turns.service.js';
import { UserToken } from './sign-in/user-token.entity.js';
import { UserTokens } from './sign-in/user-tokens.service.js';

/** The agents that answer in sessions. The module is global because it implements ports of other modules. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    TenancyModule,
    ConnectionsModule,
    FilesModule,
    GatewayModule,
    McpConnectionsModule,
    SessionsModule,
    ToolsModule,
    TracesModule,
    MikroOrmModule.forFeature([Agent, AgentVersion, Activation, AuthProfile, AgentRun, SignInFlow, UserToken]),
  ],
  controllers: [
    AgentsAdminController,
    ActivationsAdminController,
    RunsController,
    RunsAdminController,
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
    TakeTurn,
    TurnWork,
    TurnEndings,
    TurnSinks,
    ModelSteps,
    McpSteps,
    ToolSteps,
    SuspendedTurns,
    ToolsOfSessions,
    AuthProfilesService,
    SignIns,
    UserTokens,
    Browsers,
    IdentityProviders,
    { provide: ConversationScript, useClass: AgentScript },
    ActiveVersions,
    { provide: LiveVersions, useExisting: ActiveVersions },
    { provide: SignInProfiles, useClass: ProfilesOfProjects },
  ],
  exports: [
    ConversationScript,
    LiveVersions,
    SignInProfiles,
    Turns,
    SessionGate,
    Proposals,
    AgentsService,
    ActivationsService,
  ],
})
export class AgentsModule {}
