import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { sql } from '../../platform/database/sql.js';
import { exists, type Statement } from '../../platform/database/statement.js';
import type { Project } from './project.entity.js';

export class ProjectRepository extends EntityRepository<Project> {
  byId(projectId: Id<'project'>): Promise<Project | null> {
    return this.findOne({ id: projectId });
  }

  /** Locks the project until the commit and answers whether it exists. Rows that refer to it can be written meanwhile. */
  lock(projectId: Id<'project'>): Statement<boolean> {
    return exists(sql`select from project where id = ${projectId} for no key update`);
  }
}
