import { ForeignKeyConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import { type Id, toId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import { agentVersionList, type AgentVersionsRequest } from './agent-version.list.js';
import { agentList, type AgentsRequest } from './agent.list.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { Gateway } from '../../gateway/gateway.service.js';
import { McpConnectionsService } from '../../mcp-connections/mcp-connections.service.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { ToolsService } from '../../tools/definitions/tools.service.js';
import { type ChangedAgent, toActive } from './activation-note.js';
import { ActivationRepository } from './activation.repository.js';
import { Agent, type AgentBehaviour, type AgentVersion, MODEL_MEMBERS, modelNameOf } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { agentsErrors } from '../agents.errors.js';

export interface FoundAgent {
  agent: Agent;
  version: AgentVersion;
}

export type AgentChanges = Partial<AgentBehaviour> & { name?: string | undefined };

const DEFAULTS = {
  connectionId: null,
  modelId: null,
  model: null,
  toolIds: [],
  mcpConnectionIds: [],
  welcomeMessage: null,
  fallbackMessage: null,
  historyTokens: 8_000,
  maxSteps: 10,
  timeoutSeconds: 120,
} satisfies Partial<AgentBehaviour>;

export type NewAgent = Partial<AgentBehaviour> & { name: string; instructions: string };

/** Manages the agents of an app and their versions. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly connections: ConnectionsService,
    private readonly gateway: Gateway,
    private readonly tools: ToolsService,
    private readonly mcpConnections: McpConnectionsService,
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    private readonly activations: ActivationRepository,
  ) {}

  create(actor: Actor, appId: Id<'app'>, { name, ...given }: NewAgent): Promise<ChangedAgent> {
    const behaviour = { ...DEFAULTS, ...given };
    return this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      await this.check(app.project.id, behaviour);
      const agent = new Agent(app, name);
      const version = agent.newVersion(behaviour);
      tx.em.persist([agent, version]);
      return { agent, version, active: [] };
    });
  }

  async list(appId: Id<'app'>, request: AgentsRequest): Promise<Page<FoundAgent>> {
    const app = await this.tenancy.app(appId);
    const { items, nextCursor } = await agentList.page(this.agents, { app }, request);
    const versions = await Promise.all(items.map((agent) => this.versions.latest(agent)));
    // An agent that is deleted after the page was read has no version, and is left out.
    return { items: versions.flatMap((version) => (version ? { agent: version.agent, version } : [])), nextCursor };
  }

  async read(appId: Id<'app'>, agentId: Id<'agent'>): Promise<FoundAgent> {
    const app = await this.tenancy.app(appId);
    const agent = found(await this.agents.inApp(app.id, agentId));
    return { agent, version: found(await this.versions.latest(agent)) };
  }

  /** Locks the agent until the commit, so that the caller's transaction can refer to it. */
  async lock(appId: Id<'app'>, agentId: Id<'agent'>): Promise<Agent> {
    return found(await this.agents.lockSharedInApp(appId, agentId));
  }

  /** Makes a new version, unless only the name changes. In environments, the version that is active stays active. */
  change(
    actor: Actor,
    appId: Id<'app'>,
    agentId: Id<'agent'>,
    { name, ...changes }: AgentChanges,
  ): Promise<ChangedAgent> {
    return this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      const agent = found(await this.agents.lockInApp(app.id, agentId));
      if (name !== undefined && name !== agent.name) agent.rename(name);
      const latest = found(await this.versions.latest(agent));
      const active = (await this.activations.ofAgent(agent)).map(toActive);
      if (Object.keys(changes).length === 0) return { agent, version: latest, active };
      const behaviour = { ...withoutOtherModels(latest.behaviour, changes), ...changes };
      await this.check(app.project.id, changes);
      const version = agent.newVersion(behaviour);
      tx.em.persist(version);
      return { agent, version, active };
    });
  }

  async delete(actor: Actor, appId: Id<'app'>, agentId: Id<'agent'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      const agent = found(await this.agents.lockInApp(app.id, agentId));
      const active = await this.activations.ofAgent(agent);
      if (active.length > 0) throw stillActive(active.map(({ environment }) => environment.name));
      await tx.ask(this.activations.removeOf(agent.id));
      tx.em.remove(agent);
      await tx.em.flush().catch((error: unknown) => {
        throw error instanceof ForeignKeyConstraintViolationException ? stillActive(['an environment']) : error;
      });
    });
  }

  async listVersions(
    appId: Id<'app'>,
    agentId: Id<'agent'>,
    request: AgentVersionsRequest,
  ): Promise<Page<AgentVersion>> {
    const { agent } = await this.read(appId, agentId);
    return agentVersionList.page(this.versions, { agent }, request);
  }

  async readVersion(appId: Id<'app'>, agentId: Id<'agent'>, versionId: Id<'agentVersion'>): Promise<AgentVersion> {
    const { agent } = await this.read(appId, agentId);
    return this.version(agent, versionId);
  }

  async version(agent: Agent, versionId: Id<'agentVersion'> | undefined): Promise<AgentVersion> {
    if (versionId === undefined) return found(await this.versions.latest(agent));
    const version = await this.versions.ofAgent(agent, versionId);
    if (!version) throw agentsErrors.versionNotFound();
    return version;
  }

  /** Finds the latest version of an agent of the project, whichever app the agent belongs to. */
  async latestInProject(projectId: Id<'project'>, agentId: Id<'agent'>): Promise<AgentVersion> {
    const agent = found(await this.agents.inProject(projectId, agentId));
    return found(await this.versions.latest(agent));
  }

  /** Returns the name by which the gateway knows the model of the agent's latest version. */
  async modelNameIn(projectId: Id<'project'>, agentId: Id<'agent'>): Promise<string> {
    return modelNameOf(await this.latestInProject(projectId, agentId));
  }

  /**
   * Refuses if a tool, connection or model does not exist, or belongs to another project. A change is only checked for
   * what it names: what an earlier version named may be gone, and turns go on without it.
   */
  private async check(
    projectId: Id<'project'>,
    { connectionId = null, modelId = null, model = null, toolIds = [], mcpConnectionIds = [] }: Partial<AgentBehaviour>,
  ): Promise<void> {
    for (const toolId of toolIds) await this.tools.read(projectId, toId('tool', toolId));
    for (const id of mcpConnectionIds) await this.mcpConnections.read(projectId, toId('mcpConnection', id));
    if (connectionId !== null) await this.connections.read(projectId, toId('connection', connectionId));
    // A connection may have any name, also that of an ill-formed model id.
    const modelName = modelId === null ? model : toId('model', modelId);
    if (modelName !== null) await this.gateway.checkKnown(projectId, modelName);
  }
}

/** A change that names a model replaces the one before, whichever of the three members named that. */
function withoutOtherModels(latest: AgentBehaviour, changes: Partial<AgentBehaviour>): AgentBehaviour {
  if (!MODEL_MEMBERS.some((name) => changes[name])) return latest;
  return { ...latest, connectionId: null, modelId: null, model: null };
}

function stillActive(environments: string[]) {
  return agentsErrors.agentActive({ environments: environments.join(', ') });
}

/** Refuses if there is no such agent. An agent without a latest version has been deleted. */
function found<Found extends Agent | AgentVersion>(result: Found | null): Found {
  if (!result) throw agentsErrors.agentNotFound();
  return result;
}
