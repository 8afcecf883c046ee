import { z } from 'zod';
import { defineList, type RequestOf } from '../../../platform/list/list.js';
import { Subscription, SUBSCRIPTION_STATUSES } from './subscription.entity.js';

export const subscriptionList = defineList(Subscription, {
  sorts: { createdAt: 'id', modifiedAt: 'modifiedAt', displayName: 'displayName' },
  filters: { status: z.enum(SUBSCRIPTION_STATUSES) },
});
export type SubscriptionsRequest = RequestOf<typeof subscriptionList>;
