import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType, PrimaryKeyProp } from '@mikro-orm/postgresql';
import { NotAudited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, ID, type RowOf } from '../../platform/database/columns.js';
import type { ObjectName } from '../../platform/storage/stored-objects.js';
import { Project } from '../tenancy/project.entity.js';
import type { ContentId } from './file.entity.js';
import { FilePartRepository } from './file-part.repository.js';

export type FilePartRow = RowOf<FilePart>;

/** A part of a content: a complete file that arrived in one request, or a chunk of an upload. */
@NotAudited('The parts of a content are not configuration; the file that they belong to is audited')
@Entity({ tableName: 'file_part', repository: () => FilePartRepository })
@Index({ name: 'file_part_project', properties: ['project'] })
export class FilePart {
  [EntityRepositoryType]?: FilePartRepository;
  [PrimaryKeyProp]?: ['contentId', 'number'];

  @PrimaryKey({ ...ID })
  readonly contentId!: ContentId;

  /** Parts are read in the order of their numbers. */
  @PrimaryKey({ type: 'integer' })
  readonly number!: number;

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project!: Project;

  @Property({ type: BIG_NUMBER, check: 'size >= 0' })
  readonly size!: number;

  /** The name of the stored object with the bytes of the part. */
  @Property({ type: 'text', collation: 'C' })
  readonly object!: ObjectName;
}
