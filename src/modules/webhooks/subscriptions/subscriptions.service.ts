import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/actor.js';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { authErrors } from '../../../platform/auth/auth.errors.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/queue/jobs.js';
import { validationError } from '../../../platform/route/validation.js';
import { subscriptionList, type SubscriptionsRequest } from './subscription.list.js';
import type { App } from '../../tenancy/app.entity.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { CallbackAddresses } from './callback-addresses.js';
import { testCallback } from '../callbacks/callback-bodies.js';
import { Deliveries } from '../deliveries/deliveries.service.js';
import type { DeliveryRow } from '../deliveries/delivery.entity.js';
import { DeliveryRepository } from '../deliveries/delivery.repository.js';
import { isActive, Subscription, type WebhookEvent } from './subscription.entity.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { SubscriptionSecrets } from './subscription-secrets.js';
import type { ChangeSubscription, CreateSubscription } from './subscriptions.admin.schema.js';
import { webhooksErrors } from '../webhooks.errors.js';
import { replayFailed } from '../webhooks.jobs.js';

/** A subscription with its secret, which is shown only once. */
export interface WithSecret {
  subscription: Subscription;
  secret: string;
}

/** Makes, changes and deletes subscriptions, and replays their deliveries. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly subscriptions: SubscriptionRepository,
    private readonly secrets: SubscriptionSecrets,
    private readonly addresses: CallbackAddresses,
    private readonly stored: DeliveryRepository,
    private readonly deliveries: Deliveries,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
  ) {}

  create(actor: Actor, projectId: Id<'project'>, body: CreateSubscription): Promise<WithSecret> {
    this.addresses.check(body.callbackUrl);
    return this.database.transaction(actor, async (tx) => {
      const project = await this.tenancy.project(projectId);
      const app = await this.appOf(projectId, body.appId);
      const subscription = new Subscription(project, { ...body, app });
      const secret = this.secrets.make(subscription);
      tx.em.persist(subscription);
      return { subscription, secret };
    });
  }

  async page(projectId: Id<'project'>, request: SubscriptionsRequest): Promise<Page<Subscription>> {
    await this.tenancy.project(projectId);
    return subscriptionList.page(this.subscriptions, { project: projectId }, request);
  }

  async read(subscriptionId: Id<'subscription'>): Promise<Subscription> {
    return found(await this.subscriptions.byId(subscriptionId));
  }

  async inProject(projectId: Id<'project'>, subscriptionId: Id<'subscription'>): Promise<Subscription> {
    return found(await this.subscriptions.inProject(projectId, subscriptionId));
  }

  change(actor: Actor, subscriptionId: Id<'subscription'>, changes: ChangeSubscription): Promise<Subscription> {
    const { status, appId, ...members } = changes;
    if (members.callbackUrl !== undefined) this.addresses.check(members.callbackUrl);
    return this.database.transaction(actor, async () => {
      const subscription = found(await this.subscriptions.lock(subscriptionId));
      const app = appId === undefined ? subscription.app : await this.appOf(subscription.project.id, appId);
      subscription.change({ ...members, app });
      if (status === 'ACTIVE') subscription.enable();
      if (status === 'DISABLED') subscription.disable('An administrator disabled it');
      return subscription;
    });
  }

  /** Deletes a subscription. Its pending deliveries fail, and the others stay in the log until their retention ends. */
  async delete(actor: Actor, subscriptionId: Id<'subscription'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      tx.em.remove(found(await this.subscriptions.lock(subscriptionId)));
    });
  }

  rotateSecret(actor: Actor, subscriptionId: Id<'subscription'>, overlapSeconds: number): Promise<WithSecret> {
    return this.database.transaction(actor, async () => {
      const subscription = found(await this.subscriptions.lock(subscriptionId));
      return { subscription, secret: this.secrets.rotate(subscription, overlapSeconds) };
    });
  }

  /** Adds a delivery with the example of an event, which is sent like every other one. */
  test(actor: Actor, subscriptionId: Id<'subscription'>, event: WebhookEvent | undefined): Promise<DeliveryRow> {
    return this.database.transaction(actor, async (tx) => {
      const subscription = await this.active(subscriptionId);
      const projectId = subscription.project.id;
      const callback = testCallback(event ?? subscription.events[0]!, projectId, subscriptionId);
      return this.deliveries.add(tx, subscription, { projectId, subscriptionId, messageId: null, ...callback });
    });
  }

  /** Replays the deliveries that failed since a time, and returns their number. */
  replayFailed(actor: Actor, subscriptionId: Id<'subscription'>, since: Date): Promise<number> {
    return this.database.transaction(actor, async (tx) => {
      const { id, project } = await this.active(subscriptionId);
      const until = clock.now();
      const count = await tx.ask(this.stored.countFailed(id, since, until));
      const data = { subscriptionId: id, since: since.toISOString(), until: until.toISOString() };
      await this.jobs.add(tx, replayFailed, data, { lane: `replay:${id}`, projectId: project.id });
      this.noteReplay(tx, project.id, id, { since: data.since, deliveries: count });
      return count;
    });
  }

  replay(actor: Actor, deliveryId: Id<'delivery'>): Promise<void> {
    return this.database.transaction(actor, async (tx) => {
      const delivery = await tx.ask(this.stored.lock(deliveryId));
      if (!delivery) throw webhooksErrors.deliveryNotFound();
      const subscription = await this.active(delivery.subscriptionId);
      if (delivery.status === 'PENDING') throw webhooksErrors.deliveryPending();
      this.noteReplay(tx, delivery.projectId, delivery.subscriptionId, { deliveryId });
      await this.deliveries.replay(tx, subscription, delivery);
    });
  }

  private async active(subscriptionId: Id<'subscription'>): Promise<Subscription> {
    const subscription = found(await this.subscriptions.byId(subscriptionId));
    if (!isActive(subscription)) throw webhooksErrors.subscriptionDisabled();
    return subscription;
  }

  /** Returns the app with this id if it is of the project. Without an id, returns the project's only app. */
  private async appOf(projectId: Id<'project'>, appId: Id<'app'> | undefined): Promise<App> {
    if (appId !== undefined) {
      const app = await this.tenancy.app(appId);
      if (app.project.id !== projectId) throw authErrors.appNotFound();
      return app;
    }
    const { items } = await this.tenancy.listApps(projectId, { limit: 2, sort: 'createdAt', order: 'asc' });
    const [only] = items;
    if (only && items.length === 1) return only;
    const message = only
      ? 'is required, because the project has more than one app'
      : 'is required, because the project has no app yet';
    throw validationError([{ path: ['appId'], message }]);
  }

  private noteReplay(tx: Transaction, projectId: string, targetId: string, after: Record<string, unknown>): void {
    this.audit.note(tx, { kind: 'webhookReplay', targetId, projectId, change: 'created', before: null, after });
  }
}

function found(subscription: Subscription | null): Subscription {
  if (!subscription) throw webhooksErrors.subscriptionNotFound();
  return subscription;
}
