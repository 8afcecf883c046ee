import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { Settings } from '../../platform/config/settings.js';
import { Log } from '../../platform/telemetry/log.js';
import { ActivationsService } from '../agents/definitions/activations.service.js';
import { AgentsService } from '../agents/definitions/agents.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { namedModel } from './named-model.js';

export const WELCOME = 'Hello! I am the demo agent. Say something, and I say it back.';

/** The welcome as soon as a model answers, which does not say everything back. */
const WELCOME_WITH_MODEL = 'Hello! I am the demo agent. Ask me something.';

interface DemoWithAgent {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  agentId: Id<'agent'>;
  /** The connection that was made for the model of the environment. */
  connectionId?: Id<'connection'> | undefined;
}

/** Lets the demo's agent answer with the model that the environment names. */
@Injectable()
export class DemoModel {
  constructor(
    private readonly settings: Settings,
    private readonly connections: ConnectionsService,
    private readonly agents: AgentsService,
    private readonly activations: ActivationsService,
    private readonly log: Log,
  ) {}

  /**
   * Makes a connection to the model and activates it for the agent. Returns what the demo's file remembers of it, or
   * undefined if there is nothing new: the environment names no model, or the same one as at the last start. A user's
   * own later choice therefore stays.
   */
  async use(demo: DemoWithAgent): Promise<{ connectionId: Id<'connection'>; model: string } | undefined> {
    const named = namedModel(this.settings);
    if (!named || (await this.isKnown(demo, named.connection))) return undefined;
    const { provider, connection: described } = named;
    const { projectId, appId, agentId } = demo;
    if (!(await this.hasAgent(appId, agentId))) return undefined;
    const { connection } = await this.connections.create(SYSTEM, projectId, described);
    await this.answerWith(connection.id, appId, agentId);
    this.log.info({ provider, model: connection.model }, 'The demo agent uses the model that the environment names');
    return { connectionId: connection.id, model: `${provider}, ${connection.model}` };
  }

  private async isKnown({ projectId, connectionId }: DemoWithAgent, described: Described): Promise<boolean> {
    if (connectionId === undefined) return false;
    return this.connections.isSame(projectId, connectionId, described);
  }

  /** A user may have deleted the agent, or its app. */
  private async hasAgent(appId: Id<'app'>, agentId: Id<'agent'>): Promise<boolean> {
    try {
      await this.agents.read(appId, agentId);
      return true;
    } catch (error) {
      if (error instanceof SlipwayError && error.spec.status === 404) return false;
      throw error;
    }
  }

  /**
   * Continues from the version that is active, because a newer one may be a draft. Production stays as it is if another
   * agent answers there, or none.
   */
  private async answerWith(connectionId: Id<'connection'>, appId: Id<'app'>, agentId: Id<'agent'>): Promise<void> {
    const { version: active } = await this.activations.read(appId, 'production');
    const isActive = active?.agent.id === agentId;
    const { version: base } = isActive ? { version: active } : await this.agents.read(appId, agentId);
    const { welcomeMessage } = base.behaviour;
    const { version } = await this.agents.change(SYSTEM, appId, agentId, {
      ...base.behaviour,
      connectionId,
      modelId: null,
      model: null,
      welcomeMessage: welcomeMessage === WELCOME ? WELCOME_WITH_MODEL : welcomeMessage,
    });
    if (!isActive) return;
    await this.activations.set(SYSTEM, appId, 'production', { agentId, versionId: version.id, active: true });
  }
}

type Described = NonNullable<ReturnType<typeof namedModel>>['connection'];
