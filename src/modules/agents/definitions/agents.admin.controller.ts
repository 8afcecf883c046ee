import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import { definedMembers } from '../../../kernel/defined-members.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { agentVersionList, type AgentVersionsRequest } from './agent-version.list.js';
import { agentList, type AgentsRequest } from './agent.list.js';
import { connectionsErrors } from '../../connections/connections.errors.js';
import { mcpConnectionsErrors } from '../../mcp-connections/mcp-connections.errors.js';
import { toolsErrors } from '../../tools/tools.errors.js';
import { gatewayErrors } from '../../gateway/gateway.errors.js';
import {
  AgentGone,
  AgentVersionView,
  AgentView,
  ChangeAgent,
  ChangedAgentView,
  CreateAgent,
  toAgentVersionView,
  toAgentView,
  toChangedAgentView,
} from './agents.admin.schema.js';
import { agentsErrors } from '../agents.errors.js';
import { AgentsService, type NewAgent } from './agents.service.js';

const REFERENCES = [
  connectionsErrors.connectionNotFound,
  gatewayErrors.modelNotFound,
  toolsErrors.toolNotFound,
  mcpConnectionsErrors.mcpConnectionNotFound,
];

@ApiTags('Administration: agents')
@Controller()
export class AgentsAdminController {
  constructor(private readonly agents: AgentsService) {}

  @AdminRoute('POST /apps/{appId}/agents', {
    summary: 'Create an agent, with its first version',
    description:
      'The agent names a connection, a deployed model or a model. If it names neither of them, the built-in mock answers.',
    returns: data(ChangedAgentView),
    status: 201,
    errors: REFERENCES,
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @Body({ schema: CreateAgent }) body: CreateAgent,
  ) {
    return toChangedAgentView(await this.agents.create(actor, appId, definedMembers(body) as NewAgent));
  }

  @AdminRoute('GET /apps/{appId}/agents', {
    summary: 'List the agents of an app, by default oldest first',
    returns: page(AgentView),
  })
  async list(@PathId('app') appId: Id<'app'>, @Query({ schema: agentList.query }) query: AgentsRequest) {
    return mapPage(await this.agents.list(appId, query), toAgentView);
  }

  @AdminRoute('GET /apps/{appId}/agents/{agentId}', {
    summary: 'Read the latest version of an agent',
    returns: data(AgentView),
    errors: [agentsErrors.agentNotFound],
  })
  async read(@PathId('app') appId: Id<'app'>, @PathId('agent') agentId: Id<'agent'>) {
    return toAgentView(await this.agents.read(appId, agentId));
  }

  @AdminRoute('PATCH /apps/{appId}/agents/{agentId}', {
    summary: 'Change an agent by creating another version',
    description:
      'Members that are left out do not change. In an environment where the agent is active, its active version stays the same, and the answer has a `note` that says how to activate the new one.',
    returns: data(ChangedAgentView),
    errors: [agentsErrors.agentNotFound, ...REFERENCES],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @Body({ schema: ChangeAgent }) body: ChangeAgent,
  ) {
    const changes = definedMembers(body) as Partial<NewAgent>;
    return toChangedAgentView(await this.agents.change(actor, appId, agentId, changes));
  }

  @AdminRoute('DELETE /apps/{appId}/agents/{agentId}', {
    summary: 'Delete an agent that is not active anywhere',
    returns: data(AgentGone),
    errors: [agentsErrors.agentNotFound, agentsErrors.agentActive],
  })
  async delete(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
  ) {
    return this.agents.delete(actor, appId, agentId).then(() => ({ agentId }));
  }

  @AdminRoute('GET /apps/{appId}/agents/{agentId}/versions', {
    summary: 'List the versions of an agent, by default oldest first',
    returns: page(AgentVersionView),
    errors: [agentsErrors.agentNotFound],
  })
  async listVersions(
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @Query({ schema: agentVersionList.query }) query: AgentVersionsRequest,
  ) {
    return mapPage(await this.agents.listVersions(appId, agentId, query), toAgentVersionView);
  }

  @AdminRoute('GET /apps/{appId}/agents/{agentId}/versions/{versionId}', {
    summary: 'Read a version of an agent',
    returns: data(AgentVersionView),
    errors: [agentsErrors.agentNotFound, agentsErrors.versionNotFound],
  })
  async readVersion(
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @PathId('agentVersion', 'versionId') versionId: Id<'agentVersion'>,
  ) {
    return toAgentVersionView(await this.agents.readVersion(appId, agentId, versionId));
  }
}
