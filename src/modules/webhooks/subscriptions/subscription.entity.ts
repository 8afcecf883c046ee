import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import { InProject } from '../../../platform/database/in-project.js';
import { App, ENVIRONMENT_NAMES, type EnvironmentName } from '../../tenancy/app.entity.js';
import { Project } from '../../tenancy/project.entity.js';
import { SubscriptionRepository } from './subscription.repository.js';

/** The events that a subscription may have. */
export const WEBHOOK_EVENTS = ['agent.response', 'agent.status', 'agent.media'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const SUBSCRIPTION_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export interface SubscriptionMembers {
  displayName: string;
  callbackUrl: string;
  events: WebhookEvent[];
  app: App;
  environment: EnvironmentName;
}

/** Connects the webhook channel: messages go to an app and environment, and callbacks to a receiver. */
@Audited({
  kind: 'webhookSubscription',
  project: 'project',
  secrets: ['secretSealed', 'previousSecretSealed', 'previousSecretUntil'],
})
@InProject('subscription')
@Entity({ tableName: 'webhook_subscription', repository: () => SubscriptionRepository })
@Index({ name: 'webhook_subscription_project', properties: ['project', 'id'] })
@Index({ name: 'webhook_subscription_app', properties: ['app'] })
@Check({ expression: `(status = 'DISABLED') = (disabled_at is not null)` })
@Check({
  name: 'webhook_subscription_check1',
  expression: '(previous_secret_sealed is null) = (previous_secret_until is null)',
})
export class Subscription {
  [EntityRepositoryType]?: SubscriptionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'subscription'> = newId('subscription');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @ManyToOne(() => App, { deleteRule: 'no action' })
  app: App;

  @Enum({ type: 'text', items: ENVIRONMENT_NAMES })
  environment: EnvironmentName;

  @Property({ type: 'text' })
  displayName: string;

  @Property({ type: 'text' })
  callbackUrl: string;

  @Property({ type: 'array', check: 'cardinality(events) > 0' })
  events: WebhookEvent[];

  @Enum({ type: 'text', items: SUBSCRIPTION_STATUSES })
  status: SubscriptionStatus = 'ACTIVE';

  @Property({ type: 'text', nullable: true })
  disabledReason: string | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  disabledAt: Date | null = null;

  @Property({ type: 'text' })
  secretSealed!: string;

  @Property({ type: 'text', nullable: true })
  previousSecretSealed: string | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  previousSecretUntil: Date | null = null;

  /** The number of failures in a row. ReceiverHealth writes this member and the next three. */
  @Property({ type: 'integer', default: 0 })
  failures = 0;

  @Property({ type: 'timestamptz', nullable: true })
  failingSince: Date | null = null;

  @Property({ type: 'timestamptz', nullable: true })
  pausedUntil: Date | null = null;

  /** The time since which the receiver accepts callbacks without a failure; null before the first one. */
  @Property({ type: 'timestamptz', nullable: true })
  provedAt: Date | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz' })
  modifiedAt: Date = this.createdAt;

  constructor(project: Project, { app, environment, displayName, callbackUrl, events }: SubscriptionMembers) {
    this.project = project;
    this.app = app;
    this.environment = environment;
    this.displayName = displayName;
    this.callbackUrl = callbackUrl;
    this.events = events;
  }

  /** Changes only the given members. */
  change(changes: Partial<SubscriptionMembers>): void {
    const { app, environment, displayName, callbackUrl, events } = { ...this, ...changes };
    if (callbackUrl !== this.callbackUrl) this.provedAt = null;
    Object.assign(this, { app, environment, displayName, callbackUrl, events, modifiedAt: clock.now() });
  }

  /** Enables the subscription without its earlier failures. */
  enable(): void {
    if (isActive(this)) return;
    const health = { failures: 0, failingSince: null, pausedUntil: null, provedAt: null };
    Object.assign(this, { status: 'ACTIVE', disabledReason: null, disabledAt: null, ...health });
    this.modifiedAt = clock.now();
  }

  disable(reason: string): void {
    if (!isActive(this)) return;
    this.status = 'DISABLED';
    this.disabledReason = reason;
    this.disabledAt = clock.now();
    this.modifiedAt = this.disabledAt;
  }
}

export type SubscriptionRow = RowOf<Subscription>;

/** The members of a subscription that are needed to send a callback. */
export type Receiver = Pick<
  SubscriptionRow,
  | 'id'
  | 'status'
  | 'callbackUrl'
  | 'secretSealed'
  | 'previousSecretSealed'
  | 'previousSecretUntil'
  | 'failures'
  | 'provedAt'
>;

/** Whether messages to the subscription are accepted, and callbacks are sent. */
export function isActive({ status }: Pick<Subscription, 'status'>): boolean {
  return status === 'ACTIVE';
}

/** Returns until when no attempts are made, or null if there is no pause now. */
export function pauseEndOf({ pausedUntil }: Pick<Subscription, 'pausedUntil'>): Date | null {
  return pausedUntil && pausedUntil > clock.now() ? pausedUntil : null;
}
