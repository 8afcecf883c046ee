import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { Bot } from './bot.entity.js';
import { ConversationEventRepository } from './conversation-event.repository.js';
import type { TransferType } from './conversation-state.js';
import { Conversation } from './conversation.entity.js';
import type { Author } from './hooks.schema.js';
import type { Violation } from './violations.js';

export const EVENT_KINDS = ['message', 'entry', 'exit', 'summary', 'end'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type ConversationEventRow = RowOf<ConversationEvent>;

/** A row of the kind `message`. These columns are never null in it. */
export type MessageRow = ConversationEventRow & {
  author: Author;
  agentIdentity: string;
  said: string;
  language: string;
  isSent: boolean;
};

/** An event of a conversation: a message, the entry or exit of an agent, a request for a summary, or the end. */
@NotAudited('Messages are not configuration')
@Entity({ tableName: 'assist_event', repository: () => ConversationEventRepository })
@Index({ name: 'assist_event_message', properties: ['conversation', 'seq'], where: `kind = 'message'` })
@Index({ name: 'assist_event_entry', properties: ['conversation', 'seq'], where: `kind = 'entry'` })
@Index({ name: 'assist_event_agent', properties: ['bot', 'agentIdentity'], where: `kind = 'entry'` })
@Index({ name: 'assist_event_violation', properties: ['conversation', 'seq'], where: `violations <> '{}'` })
@Index({
  name: 'assist_event_said',
  expression: `create index assist_event_said on assist_event using gin (to_tsvector('simple', said)) where said is not null`,
})
export class ConversationEvent {
  [EntityRepositoryType]?: ConversationEventRepository;
  [PrimaryKeyProp]?: ['conversation', 'seq'];

  @ManyToOne(() => Bot, { ...UNENFORCED })
  readonly bot!: Bot;

  @ManyToOne(() => Conversation, {
    primary: true,
    joinColumns: ['bot_id', 'conversation_id'],
    updateRule: 'no action',
    deleteRule: 'cascade',
    collation: 'C',
  })
  readonly conversation!: Rel<Conversation>;

  /** The number of the event in its conversation. */
  @PrimaryKey({ type: 'integer' })
  readonly seq!: number;

  @Enum({ type: 'text', items: EVENT_KINDS })
  readonly kind!: EventKind;

  @Property({ type: 'timestamptz' })
  readonly at!: Date;

  @Property({ type: 'text', collation: 'C', nullable: true })
  readonly agentIdentity!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly agentName!: string | null;

  @Property({ type: 'text', nullable: true })
  readonly transferType!: TransferType | null;

  @Property({ type: 'text', nullable: true })
  readonly author!: Author | null;

  @Property({ type: 'text', nullable: true })
  readonly said!: string | null;

  /** Whether the text may be sent to models. */
  @Property({ type: 'boolean', nullable: true })
  readonly isSent!: boolean | null;

  @Property({ type: 'text', nullable: true })
  readonly language!: string | null;

  /** The agents who were active after the event. Empty if the event does not change who is active. */
  @Property({ type: 'text[]', runtimeType: 'string[]', nullable: true })
  readonly active!: string[] | null;

  /** For an entry, the time when the agent left again. */
  @Property({ type: 'timestamptz', nullable: true })
  readonly leftAt!: Date | null;

  @Property({ type: 'text[]', runtimeType: 'string[]' })
  readonly violations!: Violation[];

  /** How often the event was repeated. */
  @Property({ type: 'integer' })
  readonly repeats!: number;

  /** The event as it was received, as JSON. */
  @Property({ type: 'text' })
  readonly payload!: string;

  /** The other members of the hook call, as JSON. Only the first event of a call has them. */
  @Property({ type: 'text', nullable: true })
  readonly call!: string | null;

  /** The reply that the bot's agent proposed. */
  @Property({ type: 'text', nullable: true })
  readonly proposal!: string | null;
}
