import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { NotAudited } from '../audit/audited.js';
import { ID } from '../database/columns.js';
import { ProjectRetentionRepository } from './project-retention.repository.js';

/** How long a project keeps something, where it does not use the default. */
@NotAudited('RetentionPeriods writes one audit entry for all that a request changes')
@Entity({ tableName: 'project_retention', repository: () => ProjectRetentionRepository })
@Index({ name: 'project_retention_name', properties: ['name'] })
export class ProjectRetention {
  [EntityRepositoryType]?: ProjectRetentionRepository;
  [PrimaryKeyProp]?: ['projectId', 'name'];

  @PrimaryKey({ ...ID })
  readonly projectId!: Id<'project'>;

  /** The name of the retention rule. */
  @PrimaryKey({ type: 'text' })
  readonly name!: string;

  @Property({ type: 'integer', check: 'days > 0' })
  readonly days!: number;
}
