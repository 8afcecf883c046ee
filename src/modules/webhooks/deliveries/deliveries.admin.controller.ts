import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import { mapPage } from '../../../kernel/page.js';
import { Administrator } from '../../../platform/auth/callers.js';
import { data, page } from '../../../platform/route/answer.js';
import { PathId } from '../../../platform/route/path-id.js';
import { AdminRoute } from '../../../platform/route/route.js';
import { DeliveryView, DeliveryWithBody, toDeliveryView, toDeliveryWithBody } from './deliveries.admin.schema.js';
import { deliveryList, type DeliveriesRequest } from './delivery.list.js';
import { DeliveryLog } from './delivery-log.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { webhooksErrors } from '../webhooks.errors.js';

@ApiTags('Administration: webhooks')
@Controller()
export class DeliveriesAdminController {
  constructor(
    private readonly log: DeliveryLog,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  @AdminRoute('GET /webhook-subscriptions/{subscriptionId}/deliveries', {
    summary: 'List deliveries to a subscription with every attempt, by default newest first',
    returns: page(DeliveryView),
    errors: [webhooksErrors.subscriptionNotFound],
  })
  async list(
    @PathId('subscription') subscriptionId: Id<'subscription'>,
    @Query({ schema: deliveryList.query }) query: DeliveriesRequest,
  ) {
    return mapPage(await this.log.page(subscriptionId, query), toDeliveryView);
  }

  @AdminRoute('GET /deliveries/{deliveryId}', {
    summary: 'Read a delivery with its body and every attempt',
    returns: data(DeliveryWithBody),
    errors: [webhooksErrors.deliveryNotFound],
  })
  async read(@PathId('delivery') deliveryId: Id<'delivery'>) {
    return toDeliveryWithBody(await this.log.read(deliveryId));
  }

  @AdminRoute('POST /deliveries/{deliveryId}/replay', {
    summary: 'Send a delivery again that was delivered or has failed',
    description:
      'The callback has the same bytes and the same message id, and another signature. Its schedule of attempts starts again.',
    returns: data(DeliveryView),
    errors: [
      webhooksErrors.deliveryNotFound,
      webhooksErrors.deliveryPending,
      webhooksErrors.subscriptionNotFound,
      webhooksErrors.subscriptionDisabled,
    ],
  })
  async replay(@Administrator() actor: AdminActor, @PathId('delivery') deliveryId: Id<'delivery'>) {
    await this.subscriptions.replay(actor, deliveryId);
    return toDeliveryView(await this.log.read(deliveryId));
  }
}
