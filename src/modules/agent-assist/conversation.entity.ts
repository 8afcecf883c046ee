import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { ID, type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { Bot } from './bot.entity.js';
import { CONVERSATION_STATUSES, type ConversationStatus } from './conversation-state.js';
import { ConversationRepository } from './conversation.repository.js';

/** Identifies a conversation of a bot. */
export interface ConversationKey {
  botId: Id<'bot'>;
  conversationId: string;
}

export type ConversationRow = RowOf<Conversation>;

/** A conversation that a contact centre reports to a bot. Only SQL statements of hook calls write it. */
@NotAudited('Messages are not configuration')
@Entity({ tableName: 'assist_conversation', repository: () => ConversationRepository })
@Index({
  name: 'assist_conversation_list',
  expression: 'create index assist_conversation_list on assist_conversation (bot_id, started_at desc, id desc)',
})
@Index({ name: 'assist_conversation_project', properties: ['project', 'activeOn'] })
export class Conversation {
  [EntityRepositoryType]?: ConversationRepository;
  [PrimaryKeyProp]?: ['bot', 'id'];

  /** The conversations of a deleted bot are deleted behind it, a few at a time, so there is no foreign key. */
  @ManyToOne(() => Bot, { primary: true, ...UNENFORCED })
  readonly bot!: Bot;

  /** The sender's id for the conversation. */
  @PrimaryKey({ ...ID })
  readonly id!: string;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @Enum({ type: 'text', items: CONVERSATION_STATUSES })
  readonly status!: ConversationStatus;

  /** A `ConversationState` as JSON. It is empty before the first event. */
  @Property({ type: 'text' })
  readonly state!: string;

  @Property({ type: 'integer' })
  readonly lastSeq!: number;

  @Property({ type: 'integer' })
  readonly messages!: number;

  @Property({ type: 'integer' })
  readonly repeats!: number;

  @Property({ type: 'integer' })
  readonly violations!: number;

  @Property({ type: 'timestamptz' })
  readonly startedAt!: Date;

  @Property({ type: 'timestamptz' })
  readonly lastAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly endedAt!: Date | null;

  /** The day of `lastAt`. Retention uses it, because an index on `lastAt` would be written with each event. */
  @Property({ type: 'timestamptz' })
  readonly activeOn!: Date;
}
