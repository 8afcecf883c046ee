import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Environment } from '../../tenancy/app.entity.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { Activation } from './activation.entity.js';
import { ActivationRepository } from './activation.repository.js';
import type { AgentVersion } from './agent.entity.js';
import { agentsErrors } from '../agents.errors.js';
import { AgentsService } from './agents.service.js';

export interface Deployment {
  environment: Environment;
  /** Null where nothing is active. */
  version: AgentVersion | null;
}

/** Which version of which agent answers in an environment. */
@Injectable()
export class ActivationsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly agents: AgentsService,
    private readonly activations: ActivationRepository,
  ) {}

  /** Sessions that last answer from the next turn on with what is active then. */
  set(
    actor: Actor,
    appId: Id<'app'>,
    envName: string,
    wish: { agentId: Id<'agent'>; versionId?: Id<'agentVersion'> | undefined; active: boolean },
  ): Promise<Deployment> {
    return this.database.transaction(actor, async (tx) => {
      const environment = await this.tenancy.lockEnvironment(tx, appId, envName);
      const agent = await this.agents.lock(appId, wish.agentId);
      const version = await this.agents.version(agent, wish.versionId);
      const now = await this.activations.now(environment.id);
      if (wish.active) return this.activate(tx, environment, version);
      if (now?.version.agent.id === agent.id) now.end();
      return { environment, version: now?.endedAt ? null : (now?.version ?? null) };
    });
  }

  /** What was active before what is active now, or was last. */
  rollBack(actor: Actor, appId: Id<'app'>, envName: string): Promise<Deployment> {
    return this.database.transaction(actor, async (tx) => {
      const environment = await this.tenancy.lockEnvironment(tx, appId, envName);
      const [latest, ...earlier] = await this.activations.history(environment.id);
      const isOn = latest !== undefined && latest.endedAt === null;
      const before = isOn ? earlier.find(({ version }) => version.id !== latest.version.id) : latest;
      if (!before) throw agentsErrors.nothingToRollBackTo();
      return this.activate(tx, environment, before.version);
    });
  }

  async read(appId: Id<'app'>, envName: string): Promise<Deployment> {
    const environment = await this.tenancy.environment(appId, envName);
    const now = await this.activations.now(environment.id);
    return { environment, version: now?.version ?? null };
  }

  async history(appId: Id<'app'>, envName: string): Promise<Activation[]> {
    const environment = await this.tenancy.environment(appId, envName);
    return this.activations.history(environment.id);
  }

  private async activate(tx: Transaction, environment: Environment, version: AgentVersion): Promise<Deployment> {
    const now = await this.activations.now(environment.id);
    if (now?.version.id === version.id) return { environment, version };
    now?.end();
    await tx.em.flush();
    tx.em.persist(new Activation(environment, version));
    return { environment, version };
  }
}
