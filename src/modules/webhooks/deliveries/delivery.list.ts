import { z } from 'zod';
import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { WEBHOOK_EVENTS } from '../subscriptions/subscription.entity.js';
import { Delivery, DELIVERY_STATUSES } from './delivery.entity.js';

/** Its pages are read by a statement, because the views of deliveries are made of rows. */
export const deliveryList = defineList(Delivery, {
  sorts: { createdAt: 'id' },
  order: 'desc',
  filters: { status: z.enum(DELIVERY_STATUSES), event: z.enum(WEBHOOK_EVENTS) },
});
export type DeliveriesRequest = RequestOf<typeof deliveryList>;
