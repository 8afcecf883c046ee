import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { planned, sql } from '../../platform/database/sql.js';
import { exists, type Statement, theRow, write } from '../../platform/database/statement.js';
import type { ProjectStorage } from './project-storage.entity.js';

export interface StorageUse {
  files: number;
  fileBytes: number;
  /** The bytes of the files, together with those that unfinished uploads have reserved. */
  heldBytes: number;
}

export class ProjectStorageRepository extends EntityRepository<ProjectStorage> {
  /** Reserves bytes, and returns whether there was room. Concurrent transactions of a project wait for each other. */
  reserve(projectId: Id<'project'>, bytes: number, limit: number): Statement<boolean> {
    return exists(
      planned`insert into project_storage as stored (project_id, bytes)
              select ${projectId}, ${bytes}::bigint where ${bytes}::bigint <= ${limit}::bigint
              on conflict (project_id) do update set bytes = stored.bytes + excluded.bytes
              where stored.bytes + excluded.bytes <= ${limit}::bigint returning bytes`,
    );
  }

  release(projectId: Id<'project'>, bytes: number): Statement<void> {
    return write(planned`update project_storage set bytes = bytes - ${bytes}::bigint where project_id = ${projectId}`);
  }

  useOf(projectId: Id<'project'>): Statement<StorageUse> {
    return theRow<StorageUse>(sql`
      select count(*)::int as files, coalesce(sum(size), 0)::float8 as "fileBytes",
        coalesce((select bytes from project_storage where project_id = ${projectId}), 0)::float8 as "heldBytes"
      from file where project_id = ${projectId}`);
  }
}
