import type { Schemas } from '../../api/client.js';

type Subscription = Schemas['WebhookSubscription'];

/** The state of a subscription. An active one whose receiver is paused gets no callbacks meanwhile. */
export function stateOf({ status, pausedUntil }: Subscription): Subscription['status'] | 'paused' {
  return status === 'ACTIVE' && pausedUntil !== null ? 'paused' : status;
}
