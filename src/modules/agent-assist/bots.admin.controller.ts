import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { mapPage } from '../../kernel/page.js';
import { Administrator } from '../../platform/auth/callers.js';
import { data, page } from '../../platform/route/answer.js';
import { PathId } from '../../platform/route/path-id.js';
import { AdminRoute } from '../../platform/route/route.js';
import { botList, type BotsRequest } from './bot.list.js';
import { agentsErrors } from '../agents/agents.errors.js';
import { connectionsErrors } from '../connections/connections.errors.js';
import { webhooksErrors } from '../webhooks/webhooks.errors.js';
import { agentAssistErrors } from './agent-assist.errors.js';
import { BotGone, BotView, ChangeBot, CreateBot, toBotView } from './bots.admin.schema.js';
import { BotsService } from './bots.service.js';

@ApiTags('Administration: agent assist')
@Controller()
export class BotsAdminController {
  constructor(private readonly bots: BotsService) {}

  @AdminRoute('POST /projects/{projectId}/bots', {
    summary: 'Create a bot, to which hooks report conversations',
    returns: data(BotView),
    status: 201,
    errors: [connectionsErrors.connectionNotFound, agentsErrors.agentNotFound, webhooksErrors.subscriptionNotFound],
  })
  async create(
    @Administrator() actor: AdminActor,
    @PathId('project') projectId: Id<'project'>,
    @Body({ schema: CreateBot }) body: CreateBot,
  ) {
    return toBotView(await this.bots.create(actor, projectId, body));
  }

  @AdminRoute('GET /projects/{projectId}/bots', {
    summary: 'List the bots of a project, by default oldest first',
    returns: page(BotView),
  })
  async list(@PathId('project') projectId: Id<'project'>, @Query({ schema: botList.query }) query: BotsRequest) {
    return mapPage(await this.bots.list(projectId, query), toBotView);
  }

  @AdminRoute('GET /bots/{botId}', {
    summary: 'Read a bot',
    returns: data(BotView),
    errors: [agentAssistErrors.botNotFound],
  })
  async read(@PathId('bot') botId: Id<'bot'>) {
    return toBotView(await this.bots.read(botId));
  }

  @AdminRoute('PATCH /bots/{botId}', {
    summary: 'Change the name, model, agent or subscription of a bot, or whether it is strict',
    returns: data(BotView),
    errors: [
      agentAssistErrors.botNotFound,
      connectionsErrors.connectionNotFound,
      agentsErrors.agentNotFound,
      webhooksErrors.subscriptionNotFound,
    ],
  })
  async change(
    @Administrator() actor: AdminActor,
    @PathId('bot') botId: Id<'bot'>,
    @Body({ schema: ChangeBot }) body: ChangeBot,
  ) {
    return toBotView(await this.bots.change(actor, botId, body));
  }

  @AdminRoute('DELETE /bots/{botId}', {
    summary: 'Delete a bot and its conversations',
    returns: data(BotGone),
    errors: [agentAssistErrors.botNotFound],
  })
  async delete(@Administrator() actor: AdminActor, @PathId('bot') botId: Id<'bot'>) {
    return this.bots.delete(actor, botId).then(() => ({ botId }));
  }
}
