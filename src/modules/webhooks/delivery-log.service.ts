import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import type { Page } from '../../kernel/page.js';
import { type Attempt, AttemptLog } from './attempt-log.js';
import type { DeliveriesQuery } from './deliveries.admin.schema.js';
import type { Delivery, DeliveryWithBody } from './delivery.js';
import { DeliveryStore } from './delivery-store.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { webhooksErrors } from './webhooks.errors.js';

/** A delivery and what was tried. */
export interface LoggedDelivery<Of extends Delivery = Delivery> {
  delivery: Of;
  attempts: Attempt[];
}

/** What was tried, and what came of it. */
@Injectable()
export class DeliveryLog {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly deliveries: DeliveryStore,
    private readonly attempts: AttemptLog,
  ) {}

  async page(subscriptionId: Id<'subscription'>, query: DeliveriesQuery): Promise<Page<LoggedDelivery>> {
    await this.subscriptions.read(subscriptionId);
    const { items, nextCursor } = await this.deliveries.newestFirst(subscriptionId, query.status, query);
    return { items: await this.logged(items), nextCursor };
  }

  async read(deliveryId: Id<'delivery'>): Promise<LoggedDelivery<DeliveryWithBody>> {
    const delivery = await this.deliveries.withBody(deliveryId);
    if (!delivery) throw webhooksErrors.deliveryNotFound();
    const [logged] = await this.logged([delivery]);
    return logged!;
  }

  async ofMessage(messageId: Id<'message'>): Promise<LoggedDelivery[]> {
    return this.logged(await this.deliveries.ofMessage(messageId));
  }

  private async logged<Of extends Delivery>(deliveries: Of[]): Promise<LoggedDelivery<Of>[]> {
    const attempts = await this.attempts.of(deliveries.map(({ id }) => id));
    return deliveries.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] }));
  }
}
