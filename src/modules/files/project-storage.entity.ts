import { Entity, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { BIG_NUMBER } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { ProjectStorageRepository } from './project-storage.repository.js';

/** The bytes that the files of a project take, together with those that its unfinished uploads have reserved. */
@NotAudited('A sum over files, which are audited themselves')
@Entity({ tableName: 'project_storage', repository: () => ProjectStorageRepository })
export class ProjectStorage {
  [EntityRepositoryType]?: ProjectStorageRepository;
  [PrimaryKeyProp]?: 'project';

  @OneToOne(() => Project, { primary: true, owner: true, updateRule: 'no action', deleteRule: 'cascade' })
  readonly project!: Project;

  @Property({ type: BIG_NUMBER, check: 'bytes >= 0' })
  readonly bytes!: number;
}
