import { rowsOf } from '../lists.js';
import type { Place, ProjectOptions, Schemas } from '../place.js';
import type { operations } from '../schema.js';
import { dataOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

const SUBSCRIPTIONS = '/api/admin/v1/projects/{projectId}/webhook-subscriptions';
const SUBSCRIPTION = '/api/admin/v1/webhook-subscriptions/{subscriptionId}';
const DELIVERY = '/api/admin/v1/deliveries/{deliveryId}';

type DeliveryQuery = Omit<NonNullable<operations['DeliveriesAdmin_list']['parameters']['query']>, 'cursor'>;
type EventName = NonNullable<Schemas['TestWebhookSubscriptionInput']['event']>;

/** Where callbacks go, and what became of them. All calls need an administration key. */
export class Webhooks {
  readonly subscriptions: Subscriptions;
  readonly deliveries: Deliveries;

  constructor(admin: Transport, place: Place) {
    this.subscriptions = new Subscriptions(admin, place);
    this.deliveries = new Deliveries(admin);
  }
}

class Subscriptions {
  constructor(
    private readonly admin: Transport,
    private readonly place: Place,
  ) {}

  /** Creates a subscription. Only this answer has its secret. */
  async create(
    body: Schemas['CreateWebhookSubscriptionInput'],
    options: ProjectOptions & OnceOptions = {},
  ): Promise<Schemas['NewWebhookSubscription']> {
    const params = { header: once(options), path: { projectId: await this.place.project(options) } };
    return dataOf(this.admin.api.POST(SUBSCRIPTIONS, { params, body, ...this.admin.with(options) }));
  }

  async *list(
    options: ProjectOptions & CallOptions = {},
  ): AsyncGenerator<Schemas['WebhookSubscription'], void, undefined> {
    const path = { projectId: await this.place.project(options) };
    yield* rowsOf((cursor) =>
      this.admin.api.GET(SUBSCRIPTIONS, { params: { path, query: { cursor } }, ...this.admin.with(options) }),
    );
  }

  read(subscriptionId: string, options?: CallOptions): Promise<Schemas['WebhookSubscription']> {
    const params = { path: { subscriptionId } };
    return dataOf(this.admin.api.GET(SUBSCRIPTION, { params, ...this.admin.with(options) }));
  }

  change(
    subscriptionId: string,
    body: Schemas['ChangeWebhookSubscriptionInput'],
    options?: CallOptions,
  ): Promise<Schemas['WebhookSubscription']> {
    const params = { path: { subscriptionId } };
    return dataOf(this.admin.api.PATCH(SUBSCRIPTION, { params, body, ...this.admin.with(options) }));
  }

  async delete(subscriptionId: string, options?: CallOptions): Promise<void> {
    await this.admin.api.DELETE(SUBSCRIPTION, { params: { path: { subscriptionId } }, ...this.admin.with(options) });
  }

  /** Makes a new secret. The old one stays valid for `overlapSeconds`. */
  async rotateSecret(
    subscriptionId: string,
    body: Schemas['RotateWebhookSecretInput'] = {},
    options: OnceOptions = {},
  ): Promise<Schemas['NewWebhookSubscription']> {
    const params = { header: once(options), path: { subscriptionId } };
    return dataOf(this.admin.api.POST(`${SUBSCRIPTION}/rotate-secret`, { params, body, ...this.admin.with(options) }));
  }

  /** Sends the example of an event to the subscription's address. */
  async test(
    subscriptionId: string,
    event: EventName = 'agent.response',
    options: OnceOptions = {},
  ): Promise<Schemas['WebhookTestSent']> {
    const params = { header: once(options), path: { subscriptionId } };
    return dataOf(
      this.admin.api.POST(`${SUBSCRIPTION}/test`, { params, body: { event }, ...this.admin.with(options) }),
    );
  }
}

class Deliveries {
  constructor(private readonly admin: Transport) {}

  /** Yields the deliveries of a subscription with every attempt. */
  list(
    subscriptionId: string,
    query: DeliveryQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['WebhookDelivery'], void, undefined> {
    return rowsOf((cursor) =>
      this.admin.api.GET(`${SUBSCRIPTION}/deliveries`, {
        params: { path: { subscriptionId }, query: { ...query, cursor } },
        ...this.admin.with(options),
      }),
    );
  }

  read(deliveryId: string, options?: CallOptions): Promise<Schemas['WebhookDeliveryWithBody']> {
    return dataOf(this.admin.api.GET(DELIVERY, { params: { path: { deliveryId } }, ...this.admin.with(options) }));
  }

  /** Delivers once more: the same bytes and the same id, with a new signature. */
  async replay(deliveryId: string, options: OnceOptions = {}): Promise<Schemas['WebhookDelivery']> {
    const params = { header: once(options), path: { deliveryId } };
    return dataOf(this.admin.api.POST(`${DELIVERY}/replay`, { params, ...this.admin.with(options) }));
  }
}
