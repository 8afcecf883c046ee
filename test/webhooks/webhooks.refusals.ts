import { newId } from '../../src/kernel/ids.js';
import { administratorOf } from '../support/actors.js';
import type { Refusals } from '../support/samples.js';
import { bodyFor, MESSAGE } from './channel.js';
import { ADMIN, change, create, sendTest, subscribe } from './subscribe.js';

const NOWHERE = 'http://127.0.0.1:9/';

export const refusals: Refusals = {
  SUBSCRIPTION_NOT_FOUND: ({ service }) =>
    administratorOf(service).get(`${ADMIN}/webhook-subscriptions/${newId('subscription')}`),
  SUBSCRIPTION_DISABLED: async ({ service, tenant }) => {
    const subscription = await subscribe(service, tenant, { callbackUrl: NOWHERE });
    await change(service, subscription.subscriptionId, { status: 'DISABLED' });
    return tenant.api.post(MESSAGE, bodyFor({ tenant, subscription }));
  },
  INVALID_CALLBACK_URL: ({ service, tenant }) => create(service, tenant, { callbackUrl: 'https://169.254.169.254/' }),
  INVALID_SESSION_KEY: async ({ service, tenant }) => {
    const subscription = await subscribe(service, tenant, { callbackUrl: NOWHERE });
    return tenant.api.post(MESSAGE, bodyFor({ tenant, subscription }, { session_key: 'http_async:mine' }));
  },
  MESSAGE_NOT_FOUND: ({ tenant }) => tenant.api.get(`/api/v1/channels/http-async/messages/${newId('message')}`),
  DELIVERY_NOT_FOUND: ({ service }) => administratorOf(service).get(`${ADMIN}/deliveries/${newId('delivery')}`),
  DELIVERY_PENDING: async ({ service, tenant }) => {
    const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: NOWHERE });
    const deliveryId = await sendTest(service, subscriptionId);
    return administratorOf(service).post(`${ADMIN}/deliveries/${deliveryId}/replay`);
  },
};
