import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AsyncApiController } from './asyncapi.controller.js';
import { AttemptLog } from './attempt-log.js';
import { CallbackAddresses } from './callback-addresses.js';
import { CallbackSender } from './callback-sender.js';
import { CallbackSink } from './callback-sink.js';
import { DeliverCallback } from './deliver-callback.processor.js';
import { DeliveriesAdminController } from './deliveries.admin.controller.js';
import { Deliveries } from './deliveries.service.js';
import { DeliveryLog } from './delivery-log.service.js';
import { DeliveryStore } from './delivery-store.js';
import { MessageStore } from './message-store.js';
import { MessagesAdminController } from './messages.admin.controller.js';
import { MessagesController } from './messages.controller.js';
import { MessagesOfSessions } from './messages-of-sessions.js';
import { MessagesService } from './messages.service.js';
import { Receivers } from './receivers.js';
import { ReceiverHealth } from './receiver-health.js';
import { ReplayFailed } from './replay-failed.processor.js';
import { Replies } from './replies.service.js';
import { SubscriptionSecrets } from './subscription-secrets.js';
import { Subscription } from './subscription.entity.js';
import { SubscriptionsAdminController } from './subscriptions.admin.controller.js';
import { SubscriptionsService } from './subscriptions.service.js';
import './webhooks.retention.js';

/** The webhook channel: messages in, signed callbacks out. */
@Module({
  imports: [TenancyModule, AgentsModule, MikroOrmModule.forFeature([Subscription])],
  controllers: [
    MessagesController,
    MessagesAdminController,
    SubscriptionsAdminController,
    DeliveriesAdminController,
    AsyncApiController,
  ],
  providers: [
    MessagesService,
    MessageStore,
    CallbackSink,
    MessagesOfSessions,
    SubscriptionsService,
    SubscriptionSecrets,
    Receivers,
    CallbackAddresses,
    Deliveries,
    DeliveryLog,
    DeliveryStore,
    AttemptLog,
    ReceiverHealth,
    CallbackSender,
    DeliverCallback,
    ReplayFailed,
    Replies,
  ],
  exports: [SubscriptionsService, Replies],
})
export class WebhooksModule {}
