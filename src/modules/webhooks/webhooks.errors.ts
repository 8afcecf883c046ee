import { defineErrors } from '../../kernel/errors.js';

export const webhooksErrors = defineErrors({
  subscriptionNotFound: {
    status: 404,
    code: 'SUBSCRIPTION_NOT_FOUND',
    message:
      'The project has no such webhook subscription. Check `subscription_id`, or ask an administrator for the list of subscriptions.',
  },
  subscriptionDisabled: {
    status: 409,
    code: 'SUBSCRIPTION_DISABLED',
    message:
      'This webhook subscription is disabled, so no reply could be delivered. Ask an administrator to set its status to ACTIVE, then send the message again.',
  },
  invalidCallbackUrl: {
    status: 400,
    code: 'INVALID_CALLBACK_URL',
    message:
      'The callback URL {reason}. Use an https:// address of a public host. http:// is only for an address or localhost that OUTBOUND_ALLOW_CIDRS allows.',
    example: {
      values: { reason: 'is in a network that is closed to requests' },
      details: { issues: [{ path: 'callbackUrl', message: 'is in a network that is closed to requests' }] },
    },
  },
  invalidSessionKey: {
    status: 400,
    code: 'INVALID_SESSION_KEY',
    message:
      'A session key that begins with http_async: has to be the canonical key of this project and subscription, exactly as in the acknowledgement. For a new conversation, send a key of your own with another beginning.',
  },
  messageNotFound: {
    status: 404,
    code: 'MESSAGE_NOT_FOUND',
    message:
      'There is no such message. Messages are deleted some days after the end of their turn; see docs/retention.md.',
  },
  deliveryNotFound: {
    status: 404,
    code: 'DELIVERY_NOT_FOUND',
    message: 'There is no such delivery. Deliveries are deleted some days after their end; see docs/retention.md.',
  },
  deliveryPending: {
    status: 409,
    code: 'DELIVERY_PENDING',
    message: 'This delivery has attempts left, so it cannot be replayed. Wait until it is DELIVERED or FAILED.',
  },
});
