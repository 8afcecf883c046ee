import { Check, Entity, Enum, Index, ManyToOne, OneToMany, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Collection, EntityRepositoryType, type Rel } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { NotAudited } from '../../../platform/audit/audited.js';
import { ID, type RowOf, UNENFORCED } from '../../../platform/database/columns.js';
import { InProject } from '../../../platform/database/in-project.js';
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
 * A message that was accepted, so that a callback or a visible failure follows. It outlives its project and its
 * subscription until its retention ends, so the database enforces neither relation.
 */
@NotAudited('Messages of users are not configuration')
@InProject('message')
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

  /** The canonical session key. */
  @Property({ type: 'text' })
  readonly sessionKey!: string;

  /** The original text of the JSON. */
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

  /** Only statements write messages, so no code constructs one. */
  protected constructor() {}
}

export type MessageRow = RowOf<Message>;

export type NewMessage = Pick<
  MessageRow,
  'id' | 'projectId' | 'subscriptionId' | 'runId' | 'sessionId' | 'sessionKey' | 'metadata'
>;

export function acceptedMessage(newMessage: NewMessage): MessageRow {
  return {
    ...newMessage,
    status: 'accepted',
    errorCode: null,
    errorMessage: null,
    createdAt: clock.now(),
    finishedAt: null,
  };
}

/** Returns why the turn failed, or null if it did not. */
export function errorOf({ errorCode: code, errorMessage }: MessageRow): { code: string; message: string } | null {
  return code === null ? null : { code, message: errorMessage ?? '' };
}

const PREFIX = 'http_async:';
const LONGEST_CLIENT_KEY = 256;

export function isCanonical(sessionKey: string): boolean {
  return sessionKey.startsWith(PREFIX);
}

/** Whether a client may choose the key. */
export function isClientKey(key: string): boolean {
  return key.length > 0 && [...key].length <= LONGEST_CLIENT_KEY && !/\p{Cc}/u.test(key) && !isCanonical(key);
}

/**
 * Makes the canonical key of a client's own key, or checks that a canonical key is of this project and subscription. No
 * two subscriptions share a canonical key.
 */
export function toCanonicalKey(projectId: string, subscriptionId: string, sessionKey: string): string {
  const prefix = `${PREFIX}${projectId}:${subscriptionId}:`;
  if (!isCanonical(sessionKey)) return prefix + sessionKey;
  if (!sessionKey.startsWith(prefix) || !isClientKey(sessionKey.slice(prefix.length))) {
    throw webhooksErrors.invalidSessionKey();
  }
  return sessionKey;
}
