import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { BotRepository } from './bot.repository.js';

export interface BotWish {
  name: string;
  connectionId: Id<'connection'> | null;
  agentId: Id<'agent'> | null;
  subscriptionId: Id<'subscription'> | null;
  strict: boolean;
}

/** To whom contact centres tell of conversations, and what it does with them. */
@Audited({ kind: 'bot', project: 'project' })
@Entity({ tableName: 'assist_bot', repository: () => BotRepository })
@Index({ name: 'assist_bot_project', properties: ['project', 'id'] })
export class Bot {
  [EntityRepositoryType]?: BotRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'bot'> = newId('bot');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  name: string;

  /** The model that summarizes. */
  @Property({ ...ID, nullable: true })
  connectionId: Id<'connection'> | null;

  /** Who proposes replies, and summarizes where no connection does. */
  @Property({ ...ID, nullable: true })
  agentId: Id<'agent'> | null;

  /** To whose receiver the proposed replies go, too. */
  @Property({ ...ID, nullable: true })
  subscriptionId: Id<'subscription'> | null;

  /** Refuses what comes out of order, instead of noting it. */
  @Property({ type: 'boolean' })
  strict: boolean;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, wish: BotWish) {
    this.project = project;
    this.name = wish.name;
    this.connectionId = wish.connectionId;
    this.agentId = wish.agentId;
    this.subscriptionId = wish.subscriptionId;
    this.strict = wish.strict;
  }
}
