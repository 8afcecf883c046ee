import { Entity, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { BIG_NUMBER, ID } from '../../platform/database/columns.js';
import { Project } from '../tenancy/project.entity.js';
import { FileRepository } from './file.repository.js';

/** The id to which the parts of a content belong: the file's, or that of the upload by which the file arrived. */
export type ContentId = Id<'file'> | Id<'uploadSession'>;

export interface NewFile {
  context: string;
  name: string;
  extension: string;
  size: number;
  contentId?: ContentId;
}

/** A file of a project, which never changes. Its content is in its parts. */
@Audited({ kind: 'file', project: 'project' })
@Entity({ tableName: 'file', repository: () => FileRepository })
@Index({ name: 'file_project', properties: ['project', 'id'] })
@Unique({ properties: ['contentId'] })
export class File {
  [EntityRepositoryType]?: FileRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'file'> = newId('file');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly context: string;

  @Property({ type: 'text' })
  readonly name: string;

  @Property({ type: 'text' })
  readonly extension: string;

  @Property({ type: BIG_NUMBER, check: 'size >= 0' })
  readonly size: number;

  @Property({ ...ID })
  readonly contentId: ContentId;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(project: Project, { context, name, extension, size, contentId = this.id }: NewFile) {
    this.project = project;
    this.context = context;
    this.name = name;
    this.extension = extension;
    this.size = size;
    this.contentId = contentId;
  }
}
