import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import type { AttemptRow } from './attempt.entity.js';
import { AttemptRepository } from './attempt.repository.js';
import type { DeliveryRow, DeliveryWithBody } from './delivery.entity.js';
import { deliveryList, type DeliveriesRequest } from './delivery.list.js';
import { DeliveryRepository } from './delivery.repository.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { webhooksErrors } from '../webhooks.errors.js';

/** A delivery with its last attempts. */
export interface LoggedDelivery<Of extends DeliveryRow = DeliveryRow> {
  delivery: Of;
  attempts: AttemptRow[];
}

/** Reads deliveries with their attempts. */
@Injectable()
export class DeliveryLog {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionsService,
    private readonly deliveries: DeliveryRepository,
    private readonly attempts: AttemptRepository,
  ) {}

  async page(subscriptionId: Id<'subscription'>, request: DeliveriesRequest): Promise<Page<LoggedDelivery>> {
    await this.subscriptions.read(subscriptionId);
    const { items, nextCursor } = await deliveryList.pageOfRows({ subscriptionId }, request, (range) =>
      this.database.ask(this.deliveries.ofSubscription(subscriptionId, request, range)),
    );
    return { items: await this.logged(items), nextCursor };
  }

  async read(deliveryId: Id<'delivery'>): Promise<LoggedDelivery<DeliveryWithBody>> {
    const delivery = await this.database.ask(this.deliveries.withBody(deliveryId));
    if (!delivery) throw webhooksErrors.deliveryNotFound();
    const [logged] = await this.logged([delivery]);
    return logged!;
  }

  async ofMessage(messageId: Id<'message'>): Promise<LoggedDelivery[]> {
    return this.logged(await this.database.ask(this.deliveries.ofMessage(messageId)));
  }

  private async logged<Of extends DeliveryRow>(deliveries: Of[]): Promise<LoggedDelivery<Of>[]> {
    const attempts = await this.database.ask(this.attempts.lastOf(deliveries.map(({ id }) => id)));
    return deliveries.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] }));
  }
}
