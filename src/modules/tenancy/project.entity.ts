import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { ID } from '../../platform/database/columns.js';
import { ProjectRepository } from './project.repository.js';

/** The tenant. For the keys of one project, the rows of another one do not exist. */
@Audited({ kind: 'project', project: 'self' })
@Entity({ tableName: 'project', repository: () => ProjectRepository })
export class Project {
  [EntityRepositoryType]?: ProjectRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'project'> = newId('project');

  @Property({ type: 'text' })
  name: string;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(name: string) {
    this.name = name;
  }
}
