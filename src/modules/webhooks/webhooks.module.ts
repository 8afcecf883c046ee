import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AsyncApiController } from './callbacks/asyncapi.controller.js';
import { Attempt } from './deliveries/attempt.entity.js';
import { CallbackAddresses } from './subscriptions/callback-addresses.js';
import { CallbackMetrics } from './deliveries/callback-metrics.js';
import { CallbackSender } from './deliveries/callback-sender.js';
import { CallbackSink } from './callbacks/callback-sink.js';
import { DeliverCallback } from './deliveries/deliver-callback.processor.js';
import { DeliveriesAdminController } from './deliveries/deliveries.admin.controller.js';
import { Deliveries } from './deliveries/deliveries.service.js';
import { DeliveryLog } from './deliveries/delivery-log.service.js';
import { Delivery } from './deliveries/delivery.entity.js';
import { Message } from './messages/message.entity.js';
import { MessagesAdminController } from './messages/messages.admin.controller.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesOfSessions } from './messages/messages-of-sessions.js';
import { MessagesService } from './messages/messages.service.js';
import { ReceiverHealth } from './subscriptions/receiver-health.js';
import { ReceiverProblems } from './subscriptions/receiver-problems.js';
import { ReplayFailed } from './deliveries/replay-failed.processor.js';
import { Replies } from './callbacks/replies.service.js';
import { SubscriptionSecrets } from './subscriptions/subscription-secrets.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SubscriptionsAdminController } from './subscriptions/subscriptions.admin.controller.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import './webhooks.retention.js';

/** The webhook channel: messages in, signed callbacks out. */
@Module({
  imports: [TenancyModule, AgentsModule, MikroOrmModule.forFeature([Subscription, Message, Delivery, Attempt])],
  controllers: [
    MessagesController,
    MessagesAdminController,
    SubscriptionsAdminController,
    DeliveriesAdminController,
    AsyncApiController,
  ],
  providers: [
    MessagesService,
    CallbackSink,
    MessagesOfSessions,
    SubscriptionsService,
    SubscriptionSecrets,
    CallbackAddresses,
    Deliveries,
    DeliveryLog,
    ReceiverHealth,
    ReceiverProblems,
    CallbackSender,
    CallbackMetrics,
    DeliverCallback,
    ReplayFailed,
    Replies,
  ],
  exports: [SubscriptionsService, Replies],
})
export class WebhooksModule {}
