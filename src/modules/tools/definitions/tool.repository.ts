import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { pageById } from '../../../platform/database/page-by-id.js';
import type { Tool } from './tool.entity.js';

export class ToolRepository extends EntityRepository<Tool> {
  inProject(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    return this.findOne({ id: toolId, project: projectId });
  }

  lockInProject(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    return this.findOne({ id: toolId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Until the commit it is neither undeployed nor deleted. */
  holdInProject(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    return this.findOne({ id: toolId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_READ, refresh: true });
  }

  deployedAmong(projectId: Id<'project'>, toolIds: readonly Id<'tool'>[]): Promise<Tool[]> {
    return this.find({ id: { $in: [...toolIds] }, project: projectId, deployedVersionId: { $ne: null } });
  }

  list(projectId: Id<'project'>, part: { limit: number; offset: number }): Promise<[Tool[], number]> {
    return this.findAndCount({ project: projectId }, { orderBy: { id: 'desc' }, ...part });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<Tool>> {
    return pageById<Tool>(this, { project: projectId }, request);
  }
}
