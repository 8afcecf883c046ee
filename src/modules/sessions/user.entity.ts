import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../../platform/audit/audited.js';
import { ID, UNENFORCED } from '../../platform/database/columns.js';
import { App } from '../tenancy/app.entity.js';
import { Project } from '../tenancy/project.entity.js';
import { UserRepository } from './user.repository.js';

/** A user who has sessions in an app. */
@NotAudited('Users are created by their sessions, and are not configuration')
@Entity({ tableName: 'app_user', repository: () => UserRepository })
@Unique({ properties: ['app', 'reference'] })
@Index({ name: 'app_user_age', properties: ['lastSeenAt'] })
export class User {
  [EntityRepositoryType]?: UserRepository;

  @PrimaryKey({ ...ID })
  readonly id!: Id<'user'>;

  @ManyToOne(() => Project, { ...UNENFORCED })
  readonly project!: Project;

  @ManyToOne(() => App, { deleteRule: 'cascade' })
  readonly app!: App;

  /** The client's own name for the user. */
  @Property({ ...ID })
  readonly reference!: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt!: Date;

  @Property({ type: 'timestamptz' })
  readonly lastSeenAt!: Date;

  /** A user is created by the statement that creates the first session of that user. */
  protected constructor() {}
}
