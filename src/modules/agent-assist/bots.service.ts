import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/actor.js';
import { type Id, toId } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/queue/jobs.js';
import { botList, type BotsRequest } from './bot.list.js';
import { AgentsService } from '../agents/definitions/agents.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { TenancyService } from '../tenancy/tenancy.service.js';
import { SubscriptionsService } from '../webhooks/subscriptions/subscriptions.service.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { forgetBot } from './agent-assist.jobs.js';
import { Bot } from './bot.entity.js';
import { BotRepository } from './bot.repository.js';
import type { ChangeBot, CreateBot } from './bots.admin.schema.js';

@Injectable()
export class BotsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly connections: ConnectionsService,
    private readonly agents: AgentsService,
    private readonly subscriptions: SubscriptionsService,
    private readonly bots: BotRepository,
    private readonly jobs: Jobs,
  ) {}

  create(actor: Actor, projectId: Id<'project'>, { name, strict, ...references }: CreateBot): Promise<Bot> {
    return this.database.transaction(actor, async (tx) => {
      const project = await this.tenancy.project(projectId);
      const connectionId = await this.connection(projectId, references.connectionId);
      const agentId = await this.agent(projectId, references.agentId);
      const subscriptionId = await this.subscription(projectId, references.subscriptionId);
      const bot = new Bot(project, { name, connectionId, agentId, subscriptionId, strict });
      tx.em.persist(bot);
      return bot;
    });
  }

  async list(projectId: Id<'project'>, request: BotsRequest): Promise<Page<Bot>> {
    await this.tenancy.project(projectId);
    return botList.page(this.bots, { project: projectId }, request);
  }

  async read(botId: Id<'bot'>): Promise<Bot> {
    return found(await this.bots.byId(botId));
  }

  /** Members that are left out stay as they are. Null removes a reference. */
  change(actor: Actor, botId: Id<'bot'>, { name, strict, ...references }: ChangeBot): Promise<Bot> {
    const { connectionId, agentId, subscriptionId } = references;
    return this.database.transaction(actor, async () => {
      const bot = found(await this.bots.lock(botId));
      if (connectionId !== undefined) bot.connectionId = await this.connection(bot.project.id, connectionId);
      if (agentId !== undefined) bot.agentId = await this.agent(bot.project.id, agentId);
      if (subscriptionId !== undefined) bot.subscriptionId = await this.subscription(bot.project.id, subscriptionId);
      bot.name = name ?? bot.name;
      bot.strict = strict ?? bot.strict;
      return bot;
    });
  }

  /** Deletes the bot. Its conversations can no longer be read, and a job deletes them afterwards. */
  async delete(actor: Actor, botId: Id<'bot'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const bot = found(await this.bots.lock(botId));
      tx.em.remove(bot);
      await this.jobs.add(tx, forgetBot, { botId }, { projectId: bot.project.id });
    });
  }

  private async connection(projectId: Id<'project'>, id: string | null): Promise<Id<'connection'> | null> {
    if (id === null) return null;
    const { connection } = await this.connections.read(projectId, toId('connection', id));
    return connection.id;
  }

  private async agent(projectId: Id<'project'>, id: string | null): Promise<Id<'agent'> | null> {
    if (id === null) return null;
    const { agent } = await this.agents.latestInProject(projectId, toId('agent', id));
    return agent.id;
  }

  private async subscription(projectId: Id<'project'>, id: string | null): Promise<Id<'subscription'> | null> {
    if (id === null) return null;
    return (await this.subscriptions.inProject(projectId, toId('subscription', id))).id;
  }
}

function found(bot: Bot | null): Bot {
  if (!bot) throw agentAssistErrors.botNotFound();
  return bot;
}
