import { EntityRepository } from '@mikro-orm/postgresql';
import { isId } from '../../kernel/ids.js';
import type { Project } from './project.entity.js';

export class ProjectRepository extends EntityRepository<Project> {
  async byId(projectId: string): Promise<Project | null> {
    return isId('project', projectId) ? this.findOne({ id: projectId }) : null;
  }

  /** In the order they were made, `limit` and one more. */
  listAfter(cursor: string | undefined, limit: number): Promise<Project[]> {
    const where = cursor === undefined ? {} : { id: { $gt: cursor as Project['id'] } };
    return this.find(where, { orderBy: { id: 'asc' }, limit: limit + 1 });
  }
}
