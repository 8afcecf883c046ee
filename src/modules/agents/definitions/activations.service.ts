import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import type { Environment } from '../../tenancy/app.entity.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { Activation } from './activation.entity.js';
import { activationList, type ActivationsRequest } from './activation.list.js';
import { ActivationRepository } from './activation.repository.js';
import type { AgentVersion } from './agent.entity.js';
import { agentsErrors } from '../agents.errors.js';
import { AgentActivated, AgentDeactivated } from '../agents.events.js';
import { AgentsService } from './agents.service.js';

export interface Deployment {
  environment: Environment;
  /** Null if no version is active. */
  version: AgentVersion | null;
}

/** Manages which version of which agent answers in an environment. */
@Injectable()
export class ActivationsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly agents: AgentsService,
    private readonly activations: ActivationRepository,
    private readonly events: Events,
  ) {}

  /** Activates or deactivates an agent. Sessions that have begun already use the new version from their next turn on. */
  set(
    actor: Actor,
    appId: Id<'app'>,
    envName: string,
    {
      agentId,
      versionId,
      active,
    }: { agentId: Id<'agent'>; versionId?: Id<'agentVersion'> | undefined; active: boolean },
  ): Promise<Deployment> {
    return this.database.transaction(actor, async (tx) => {
      const environment = await this.tenancy.lockEnvironment(tx, appId, envName);
      const agent = await this.agents.lock(appId, agentId);
      const version = await this.agents.version(agent, versionId);
      const current = await this.activations.current(environment.id);
      if (active) return this.activate(tx, environment, version);
      if (current?.version.agent.id === agent.id) {
        current.end();
        await this.events.publish(tx, AgentDeactivated, payloadOf(environment, current.version));
      }
      return { environment, version: current?.endedAt ? null : (current?.version ?? null) };
    });
  }

  /** Activates the version that was active before the current one. If none is active, it activates the last one again. */
  rollBack(actor: Actor, appId: Id<'app'>, envName: string): Promise<Deployment> {
    return this.database.transaction(actor, async (tx) => {
      const environment = await this.tenancy.lockEnvironment(tx, appId, envName);
      const latest = await this.activations.latest(environment.id);
      const isActive = latest !== null && latest.endedAt === null;
      const previous = isActive ? await this.activations.latest(environment.id, latest.version) : latest;
      if (!previous) throw agentsErrors.nothingToRollBackTo();
      return this.activate(tx, environment, previous.version);
    });
  }

  async read(appId: Id<'app'>, envName: string): Promise<Deployment> {
    const environment = await this.tenancy.environment(appId, envName);
    const current = await this.activations.current(environment.id);
    return { environment, version: current?.version ?? null };
  }

  async history(appId: Id<'app'>, envName: string, request: ActivationsRequest): Promise<Page<Activation>> {
    const environment = await this.tenancy.environment(appId, envName);
    return activationList.page(this.activations, { environment }, request);
  }

  private async activate(tx: Transaction, environment: Environment, version: AgentVersion): Promise<Deployment> {
    const current = await this.activations.current(environment.id);
    if (current?.version.id === version.id) return { environment, version };
    current?.end();
    await tx.em.flush();
    tx.em.persist(new Activation(environment, version));
    await this.events.publish(tx, AgentActivated, payloadOf(environment, version));
    return { environment, version };
  }
}

function payloadOf({ app, name: environment }: Environment, { id: versionId, agent }: AgentVersion): AgentActivated {
  return { projectId: app.project.id, appId: app.id, environment, agentId: agent.id, versionId };
}
