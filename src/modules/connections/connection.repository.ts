import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { Connection, Provider, Status } from './connection.entity.js';

export interface ConnectionFilter {
  provider?: Provider | undefined;
  status?: Status | undefined;
}

export class ConnectionRepository extends EntityRepository<Connection> {
  inProject(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<Connection | null> {
    return this.findOne({ id: connectionId, project: projectId });
  }

  lockInProject(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<Connection | null> {
    return this.findOne({ id: connectionId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Newest first, and how many there are in all. */
  list(
    projectId: Id<'project'>,
    { provider, status }: ConnectionFilter,
    part: { limit: number; offset: number },
  ): Promise<[Connection[], number]> {
    const where = { project: projectId, ...(provider && { provider }), ...(status && { status }) };
    return this.findAndCount(where, { orderBy: { id: 'desc' }, ...part });
  }

  active(projectId: Id<'project'>): Promise<Connection[]> {
    return this.find({ project: projectId, status: 'ACTIVE' }, { orderBy: { id: 'desc' } });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<Connection>> {
    return pageById<Connection>(this, { project: projectId }, request);
  }
}
