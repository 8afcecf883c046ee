import { EntityRepository, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import type { DockJob, DockJobType, DockStatus } from './dock-job.entity.js';

export interface DockJobFilter {
  status?: DockStatus | undefined;
  jobType?: DockJobType | undefined;
  targetId?: string | undefined;
}

export class DockJobRepository extends EntityRepository<DockJob> {
  inProject(projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    return this.findOne({ id: dockJobId, project: projectId }, { refresh: true });
  }

  lockInProject(projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    return this.findOne({ id: dockJobId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** For the work itself, and for whoever holds a link. */
  byId(dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    return this.findOne({ id: dockJobId }, { refresh: true });
  }

  lockById(dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    return this.findOne({ id: dockJobId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Newest first. */
  async page(
    projectId: Id<'project'>,
    { status, jobType, targetId }: DockJobFilter,
    { cursor, limit }: PageRequest,
  ): Promise<Page<DockJob>> {
    const where: FilterQuery<DockJob> = {
      project: projectId,
      ...(status && { status }),
      ...(jobType && { jobType }),
      ...(targetId && { targetId }),
      ...(cursor && { id: { $lt: cursor as Id<'dockJob'> } }),
    };
    return cutPage(await this.find(where, { orderBy: { id: 'desc' }, limit: limit + 1 }), limit);
  }
}
