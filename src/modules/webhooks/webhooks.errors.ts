import { defineErrors } from '../../kernel/errors.js';

export const webhooksErrors = defineErrors({
  subscriptionNotFound: {
    status: 404,
    code: 'SUBSCRIPTION_NOT_FOUND',
    message:
      'The project has no such webhook subscription. Check `subscription_id`; an administrator sees those it has.',
  },
  subscriptionDisabled: {
    status: 409,
    code: 'SUBSCRIPTION_DISABLED',
    message:
      'This webhook subscription is disabled, so no reply could be delivered. Have an administrator set its status to ACTIVE, then send again.',
  },
  invalidCallbackUrl: {
    status: 400,
    code: 'INVALID_CALLBACK_URL',
    message:
      'The callback URL {reason}. Give an https:// address of a public host; http:// only for an address or localhost that OUTBOUND_ALLOW_CIDRS opens.',
    example: { values: { reason: 'leads into a network that is closed to requests' } },
  },
  invalidSessionKey: {
    status: 400,
    code: 'INVALID_SESSION_KEY',
    message:
      'A session key that begins with http_async: has to be the canonical one of this project and subscription, exactly as the acknowledgement gave it. For a new conversation send a key of your own that begins otherwise.',
  },
  messageNotFound: {
    status: 404,
    code: 'MESSAGE_NOT_FOUND',
    message:
      'There is no such message. Messages are kept for some days after their turn has ended; see docs/retention.md.',
  },
  deliveryNotFound: {
    status: 404,
    code: 'DELIVERY_NOT_FOUND',
    message: 'There is no such delivery. Deliveries are kept for some days after they ended; see docs/retention.md.',
  },
  deliveryPending: {
    status: 409,
    code: 'DELIVERY_PENDING',
    message: 'This delivery is still being tried, so there is nothing to replay. Wait until it is DELIVERED or FAILED.',
  },
});
