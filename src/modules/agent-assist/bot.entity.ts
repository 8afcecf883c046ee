import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { InProject } from '../../platform/database/in-project.js';
import { Project } from '../tenancy/project.entity.js';
import { BotRepository } from './bot.repository.js';

export interface NewBot {
  name: string;
  connectionId: Id<'connection'> | null;
  agentId: Id<'agent'> | null;
  subscriptionId: Id<'subscription'> | null;
  strict: boolean;
}

/** The receiver of a contact centre's events. It says which model summarizes and which agent proposes replies. */
@Audited({ kind: 'bot', project: 'project' })
@InProject('bot')
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

  /** The connection whose model summarizes. */
  @Property({ ...ID, nullable: true })
  connectionId: Id<'connection'> | null;

  /** The agent that proposes replies. Its model summarizes if there is no connection. */
  @Property({ ...ID, nullable: true })
  agentId: Id<'agent'> | null;

  /** The subscription to whose callback address proposed replies are also sent. */
  @Property({ ...ID, nullable: true })
  subscriptionId: Id<'subscription'> | null;

  /** Whether events that come out of order are refused instead of recorded with their violation. */
  @Property({ type: 'boolean' })
  strict: boolean;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, { name, connectionId, agentId, subscriptionId, strict }: NewBot) {
    this.project = project;
    this.name = name;
    this.connectionId = connectionId;
    this.agentId = agentId;
    this.subscriptionId = subscriptionId;
    this.strict = strict;
  }
}
