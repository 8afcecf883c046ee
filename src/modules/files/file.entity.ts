import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { BigIntType, EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { Audited } from '../../platform/audit/audited.js';
import { Project } from '../tenancy/project.entity.js';
import { FileRepository } from './file.repository.js';

/** Whose parts a content is made of: a file's own, or those of the upload that it came by. */
export type ContentId = Id<'file'> | Id<'uploadSession'>;

export interface NewFile {
  context: string;
  name: string;
  extension: string;
  size: number;
  contentId?: ContentId;
}

/** A file of a project. It is never changed; its content is not here but in parts. */
@Audited({ kind: 'file', project: 'project' })
@Entity({ tableName: 'file', repository: () => FileRepository })
export class File {
  [EntityRepositoryType]?: FileRepository;

  @PrimaryKey({ type: 'text' })
  readonly id: Id<'file'> = newId('file');

  @ManyToOne(() => Project, { deleteRule: 'no action' })
  readonly project: Project;

  @Property({ type: 'text' })
  readonly context: string;

  @Property({ type: 'text' })
  readonly name: string;

  @Property({ type: 'text' })
  readonly extension: string;

  @Property({ type: new BigIntType('number') })
  readonly size: number;

  @Property({ type: 'text' })
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
