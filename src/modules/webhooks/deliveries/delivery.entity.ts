import { Check, Entity, Enum, Index, ManyToOne, OneToMany, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { ID, type RowOf, UNENFORCED } from '../../../platform/database/columns.js';
import { InProject } from '../../../platform/database/in-project.js';
import { Project } from '../../tenancy/project.entity.js';
import { Attempt } from './attempt.entity.js';
import { DeliveryRepository } from './delivery.repository.js';
import { Message } from '../messages/message.entity.js';
import { Subscription, type WebhookEvent } from '../subscriptions/subscription.entity.js';

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * A callback that is owed to a subscription, until it has arrived or failed. A delivery outlives the rows to which it
 * refers until its retention ends, so the database enforces none of its relations.
 */
@NotAudited('Deliveries are records of what the service did; replaying one is audited')
@InProject('delivery')
@Entity({ tableName: 'webhook_delivery', repository: () => DeliveryRepository })
@Index({ name: 'webhook_delivery_subscription', properties: ['subscription', 'id'] })
@Index({ name: 'webhook_delivery_message', properties: ['message', 'id'], where: 'message_id is not null' })
@Index({ name: 'webhook_delivery_project_ended', properties: ['project', 'endedAt'], where: 'ended_at is not null' })
@Index({ name: 'webhook_delivery_failed', properties: ['subscription', 'endedAt'], where: `status = 'FAILED'` })
@Check({ expression: `(status = 'PENDING') = (ended_at is null)` })
export class Delivery {
  [EntityRepositoryType]?: DeliveryRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'delivery'>;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @ManyToOne(() => Subscription, { ...UNENFORCED })
  readonly subscription!: Subscription;

  /** The message it is about; none for a test, or a proposal. */
  @ManyToOne(() => Message, { ...UNENFORCED, nullable: true })
  readonly message!: Rel<Message> | null;

  /** The id by which the receiver recognizes repeated callbacks. */
  @Property({ ...ID })
  readonly eventId!: Id<'message'>;

  @Property({ type: 'text' })
  readonly event!: WebhookEvent;

  /** The bytes that are sent, which never change. They may have a MiB, so only statements that need them read them. */
  @Property({ type: 'text', lazy: true })
  readonly body!: string;

  @Enum({ type: 'text', items: DELIVERY_STATUSES })
  readonly status!: DeliveryStatus;

  @Property({ type: 'integer', fieldName: 'attempts' })
  readonly attemptCount!: number;

  /** The number of attempts that the schedule counts. It begins with 0 again at a replay. */
  @Property({ type: 'integer' })
  readonly attemptsSinceReplay!: number;

  @Property({ type: 'timestamptz', nullable: true })
  readonly nextAttemptAt!: Date | null;

  @Property({ type: 'text', nullable: true })
  readonly lastError!: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly endedAt!: Date | null;

  /** Whether the user of the message has been erased. The callback is still owed, and is deleted when it ends. */
  @Property({ type: 'boolean', default: false })
  readonly isForgotten!: boolean;

  @OneToMany(() => Attempt, (attempt) => attempt.delivery)
  readonly attempts = new Collection<Rel<Attempt>>(this);

  /** Only statements write deliveries, so no code constructs one. */
  protected constructor() {}
}

export type DeliveryWithBody = RowOf<Delivery>;
export type DeliveryRow = RowOf<Delivery, 'body'>;

export type NewDelivery = Pick<
  DeliveryWithBody,
  'projectId' | 'subscriptionId' | 'messageId' | 'eventId' | 'event' | 'body'
>;

export function pendingDelivery(newDelivery: NewDelivery, nextAttemptAt: Date): DeliveryWithBody {
  return {
    id: newId('delivery'),
    ...newDelivery,
    status: 'PENDING',
    attemptCount: 0,
    attemptsSinceReplay: 0,
    nextAttemptAt,
    lastError: null,
    createdAt: clock.now(),
    endedAt: null,
    isForgotten: false,
  };
}
