import { Check, Entity, Enum, Index, ManyToOne, OneToMany, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { ID, type RowOf, UNENFORCED } from '../../../platform/database/columns.js';
import { AgentRun } from '../../agents/runs/agent-run.entity.js';
import { Session } from '../../sessions/session.entity.js';
import { Project } from '../../tenancy/project.entity.js';
import { Delivery } from '../deliveries/delivery.entity.js';
import { MessageRepository } from './message.repository.js';
import { Subscription } from '../subscriptions/subscription.entity.js';
import { webhooksErrors } from '../webhooks.errors.js';

export const MESSAGE_STATUSES = ['accepted', 'processing', 'suspended', 'completed', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * What was accepted, and how far it is. From here on a callback or a visible failure follows. A message stays readable
 * for its time when its project or its subscription is gone, so the database enforces neither relation.
 */
@NotAudited('Messages are what users say, and no configuration')
@Entity({ tableName: 'webhook_message', repository: () => MessageRepository })
@Index({
  name: 'webhook_message_project_ended',
  properties: ['project', 'finishedAt'],
  where: 'finished_at is not null',
})
@Index({ name: 'webhook_message_session', properties: ['session'] })
@Check({ expression: `(status in ('completed', 'failed')) = (finished_at is not null)` })
export class Message {
  [EntityRepositoryType]?: MessageRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'message'>;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @ManyToOne(() => Subscription, { ...UNENFORCED })
  readonly subscription!: Subscription;

  @ManyToOne(() => AgentRun, { ...UNENFORCED })
  readonly run!: AgentRun;

  @ManyToOne(() => Session, { ...UNENFORCED })
  readonly session!: Session;

  /** The canonical one. */
  @Property({ type: 'text' })
  readonly sessionKey!: string;

  /** JSON, as it was written. */
  @Property({ type: 'text', nullable: true })
  readonly metadata!: string | null;

  @Enum({ type: 'text', items: MESSAGE_STATUSES })
  readonly status!: MessageStatus;

  @Property({ type: 'text', nullable: true })
  readonly errorCode!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly errorMessage!: string | null;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly finishedAt!: Date | null;

  @OneToMany(() => Delivery, (delivery) => delivery.message)
  readonly deliveries = new Collection<Rel<Delivery>>(this);

  /** Messages come and go by statements alone. */
  protected constructor() {}
}

export type MessageRow = RowOf<Message>;

export type NewMessage = Pick<
  MessageRow,
  'id' | 'projectId' | 'subscriptionId' | 'runId' | 'sessionId' | 'sessionKey' | 'metadata'
>;

export function acceptedMessage(wish: NewMessage): MessageRow {
  return {
    ...wish,
    status: 'accepted',
    errorCode: null,
    errorMessage: null,
    createdAt: clock.now(),
    finishedAt: null,
  };
}

/** Why the turn failed, where it did. */
export function errorOf({ errorCode: code, errorMessage }: MessageRow): { code: string; message: string } | null {
  return code === null ? null : { code, message: errorMessage ?? '' };
}

const PREFIX = 'http_async:';
const LONGEST_CLIENT_KEY = 256;

export function isCanonical(sessionKey: string): boolean {
  return sessionKey.startsWith(PREFIX);
}

/** Of a key that a client chose. */
export function isClientKey(key: string): boolean {
  return key.length > 0 && [...key].length <= LONGEST_CLIENT_KEY && !/\p{Cc}/u.test(key) && !isCanonical(key);
}

/**
 * The canonical key for what was sent: the client's own, or the canonical one of exactly this conversation. No two
 * subscriptions share one.
 */
export function toCanonicalKey(projectId: string, subscriptionId: string, sessionKey: string): string {
  const prefix = `${PREFIX}${projectId}:${subscriptionId}:`;
  if (!isCanonical(sessionKey)) return prefix + sessionKey;
  if (!sessionKey.startsWith(prefix) || !isClientKey(sessionKey.slice(prefix.length))) {
    throw webhooksErrors.invalidSessionKey();
  }
  return sessionKey;
}
