import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Global, Module } from '@nestjs/common';
import { JwtClientDirectory } from '../../platform/auth/jwt-client-directory.js';
import { AgentsModule } from '../agents/agents.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AgentAssistJwtClientDirectory } from './agent-assist.jwt-client-directory.js';
import { ForgetBot, ProposeReply, SummarizeConversation } from './agent-assist.processor.js';
import './agent-assist.retention.js';
import { AssistanceService } from './assistance.service.js';
import { Bot } from './bot.entity.js';
import { BotsAdminController } from './bots.admin.controller.js';
import { BotsService } from './bots.service.js';
import { ConversationEvent } from './conversation-event.entity.js';
import { Conversation } from './conversation.entity.js';
import { ConversationsAdminController } from './conversations.admin.controller.js';
import { ConversationsService } from './conversations.service.js';
import { HooksController } from './hooks.controller.js';
import { HooksService } from './hooks.service.js';
import { JwtClientKeys } from './jwt-client-keys.js';
import { JwtClient } from './jwt-client.entity.js';
import { JwtClientsAdminController } from './jwt-clients.admin.controller.js';
import { JwtClientsService } from './jwt-clients.service.js';
import { SummariesService } from './summaries.service.js';
import { Summary } from './summary.entity.js';

/** The conversations that contact centres report. The module is global because the platform injects `JwtClientDirectory`. */
@Global()
@Module({
  imports: [
    TenancyModule,
    GatewayModule,
    ConnectionsModule,
    AgentsModule,
    WebhooksModule,
    MikroOrmModule.forFeature([JwtClient, Bot, Conversation, ConversationEvent, Summary]),
  ],
  controllers: [HooksController, JwtClientsAdminController, BotsAdminController, ConversationsAdminController],
  providers: [
    HooksService,
    BotsService,
    JwtClientsService,
    JwtClientKeys,
    ConversationsService,
    SummariesService,
    SummarizeConversation,
    AssistanceService,
    ProposeReply,
    ForgetBot,
    { provide: JwtClientDirectory, useClass: AgentAssistJwtClientDirectory },
  ],
  exports: [JwtClientDirectory, BotsService, JwtClientsService],
})
export class AgentAssistModule {}
