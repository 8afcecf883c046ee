import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { Project } from './project.entity.js';

export class ProjectRepository extends EntityRepository<Project> {
  byId(projectId: Id<'project'>): Promise<Project | null> {
    return this.findOne({ id: projectId });
  }

  page(request: PageRequest): Promise<Page<Project>> {
    return pageById<Project>(this, {}, request);
  }
}
