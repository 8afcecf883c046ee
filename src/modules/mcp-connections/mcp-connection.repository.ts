import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
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
}
