import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { File } from './file.entity.js';

export class FileRepository extends EntityRepository<File> {
  inProject(projectId: Id<'project'>, fileId: Id<'file'>): Promise<File | null> {
    return this.findOne({ id: fileId, project: projectId });
  }

  /** Locks a file, so that only one of several concurrent deletions finds it. */
  lockInProject(projectId: Id<'project'>, fileId: Id<'file'>): Promise<File | null> {
    return this.findOne({ id: fileId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Finds a file without its project, for requests with a link, which have no key. */
  byId(fileId: Id<'file'>): Promise<File | null> {
    return this.findOne({ id: fileId });
  }
}
