import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { pageById } from '../../platform/database/page-by-id.js';
import type { McpConnection } from './mcp-connection.entity.js';

export class McpConnectionRepository extends EntityRepository<McpConnection> {
  inProject(projectId: Id<'project'>, connectionId: Id<'mcpConnection'>): Promise<McpConnection | null> {
    return this.findOne({ id: connectionId, project: projectId });
  }

  lockInProject(projectId: Id<'project'>, connectionId: Id<'mcpConnection'>): Promise<McpConnection | null> {
    return this.findOne({ id: connectionId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  activeAmong(projectId: Id<'project'>, ids: readonly Id<'mcpConnection'>[]): Promise<McpConnection[]> {
    return this.find({ id: { $in: [...ids] }, project: projectId, status: 'ACTIVE' });
  }

  page(projectId: Id<'project'>, request: PageRequest): Promise<Page<McpConnection>> {
    return pageById<McpConnection>(this, { project: projectId }, request);
  }
}
