import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { MessageRepository } from './message.repository.js';

export const MESSAGE_STATUSES = ['accepted', 'processing', 'suspended', 'completed', 'failed'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export interface NewMessage {
  id: Id<'message'>;
  projectId: Id<'project'>;
  subscriptionId: Id<'subscription'>;
  runId: Id<'run'>;
  sessionId: Id<'session'>;
  sessionKey: string;
  /** As it was written. */
  metadata: string | null;
}

/** What was accepted, and how far it is. From here on a callback or a visible failure follows. */
@NotAudited('Messages are data of the channel and configure nothing')
@Entity({ tableName: 'webhook_message', repository: () => MessageRepository })
export class Message {
  [EntityRepositoryType]?: MessageRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'message'>;

  @Property({ type: 'text' })
  readonly projectId: Id<'project'>;

  @Property({ type: 'text' })
  readonly subscriptionId: Id<'subscription'>;

  @Property({ type: 'text' })
  readonly runId: Id<'run'>;

  @Property({ type: 'text' })
  readonly sessionId: Id<'session'>;

  @Property({ type: 'text' })
  readonly sessionKey: string;

  @Property({ type: 'text', nullable: true })
  readonly metadata: string | null;

  @Property({ type: 'text' })
  status: MessageStatus = 'accepted';

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  @Property({ type: 'timestamptz', nullable: true })
  finishedAt: Date | null = null;

  constructor(wish: NewMessage) {
    this.id = wish.id;
    this.projectId = wish.projectId;
    this.subscriptionId = wish.subscriptionId;
    this.runId = wish.runId;
    this.sessionId = wish.sessionId;
    this.sessionKey = wish.sessionKey;
    this.metadata = wish.metadata;
  }

  get hasEnded(): boolean {
    return this.finishedAt !== null;
  }

  /** What has ended stays so. */
  goOn(status: 'processing' | 'suspended'): void {
    if (!this.hasEnded) this.status = status;
  }

  end(status: 'completed' | 'failed', error?: { code: string; message: string }): void {
    if (this.hasEnded) return;
    this.status = status;
    this.errorCode = error?.code ?? null;
    this.errorMessage = error?.message ?? null;
    this.finishedAt = clock.now();
  }
}
