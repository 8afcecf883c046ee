import { Entity, Enum, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp, type Rel } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { type RowOf, UNENFORCED } from '../../platform/database/columns.js';
import { Bot } from './bot.entity.js';
import { Conversation } from './conversation.entity.js';
import { SummaryRepository } from './summary.repository.js';

export type SummaryRow = RowOf<Summary>;

/** A summary that an event requested. It is `pending` until it is made. */
@NotAudited('Messages are not configuration')
@Entity({ tableName: 'assist_summary', repository: () => SummaryRepository })
export class Summary {
  [EntityRepositoryType]?: SummaryRepository;
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

  /** The number of the event that requested the summary. */
  @PrimaryKey({ type: 'integer' })
  readonly seq!: number;

  @Property({ type: 'text' })
  readonly language!: string;

  @Property({ type: 'text' })
  readonly locale!: string;

  @Property({ type: 'text' })
  readonly type!: string;

  @Enum({ type: 'text', items: ['pending', 'ready'] })
  readonly status!: 'pending' | 'ready';

  @Enum({ type: 'text', items: ['model', 'transcript'], nullable: true })
  readonly madeBy!: 'model' | 'transcript' | null;

  @Property({ type: 'text', nullable: true })
  readonly text!: string | null;

  @Property({ type: 'timestamptz' })
  readonly askedAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  readonly madeAt!: Date | null;
}
