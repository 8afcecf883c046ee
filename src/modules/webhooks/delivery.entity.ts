import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { DeliveryRepository } from './delivery.repository.js';
import type { WebhookEvent } from './webhook-events.js';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface NewDelivery {
  projectId: Id<'project'>;
  subscriptionId: Id<'subscription'>;
  /** The message it is about; none for a test, or a proposal. */
  messageId: Id<'message'> | null;
  /** What the receiver tells repeats by. */
  eventId: Id<'message'>;
  event: WebhookEvent;
  body: string;
}

/** One callback, from when it is promised until it arrived or was given up. Its body never changes. */
@NotAudited('Deliveries are data of the channel, and have a log of their own')
@Entity({ tableName: 'webhook_delivery', repository: () => DeliveryRepository })
export class Delivery {
  [EntityRepositoryType]?: DeliveryRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'delivery'> = newId('delivery');

  @Property({ type: 'text' })
  readonly projectId: Id<'project'>;

  @Property({ type: 'text' })
  readonly subscriptionId: Id<'subscription'>;

  @Property({ type: 'text', nullable: true })
  readonly messageId: Id<'message'> | null;

  @Property({ type: 'text' })
  readonly eventId: Id<'message'>;

  @Property({ type: 'text' })
  readonly event: WebhookEvent;

  /** Up to a MiB, so that only who needs it reads it. */
  @Property({ type: 'text', lazy: true })
  readonly body: string;

  @Property({ type: 'text' })
  status: DeliveryStatus = 'PENDING';

  @Property({ type: 'integer' })
  attempts = 0;

  /** Which the schedule counts: a replay begins it anew. */
  @Property({ type: 'integer' })
  attemptsSinceReplay = 0;

  @Property({ type: 'timestamptz', nullable: true })
  nextAttemptAt: Date | null = null;

  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  endedAt: Date | null = null;

  /** Its user was erased: it is kept for as long as it is promised. */
  @Property({ type: 'boolean' })
  readonly isForgotten: boolean = false;

  constructor(wish: NewDelivery) {
    this.projectId = wish.projectId;
    this.subscriptionId = wish.subscriptionId;
    this.messageId = wish.messageId;
    this.eventId = wish.eventId;
    this.event = wish.event;
    this.body = wish.body;
  }

  get isPending(): boolean {
    return this.status === 'PENDING';
  }

  /** Returns the attempt's number. */
  countAttempt(): number {
    this.attempts += 1;
    this.attemptsSinceReplay += 1;
    return this.attempts;
  }

  waitUntil(at: Date, error: string | null): void {
    this.nextAttemptAt = at;
    this.lastError = error;
  }

  arrive(): void {
    this.end('DELIVERED', null);
  }

  fail(error: string): void {
    this.end('FAILED', error);
  }

  /** To be tried again as if it were new. */
  reopen(): void {
    this.status = 'PENDING';
    this.attemptsSinceReplay = 0;
    this.endedAt = null;
  }

  private end(status: DeliveryStatus, error: string | null): void {
    this.status = status;
    this.lastError = error;
    this.nextAttemptAt = null;
    this.endedAt = clock.now();
  }
}
