import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { type RowOf, someColumnsOf } from '../../../platform/database/columns.js';
import { pageById } from '../../../platform/database/page-by-id.js';
import { planned } from '../../../platform/database/sql.js';
import { row, type Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Tool } from './tool.entity.js';

export type Deployed = Pick<RowOf<Tool, 'status'>, 'deployedVersionId' | 'deployedAt' | 'modifiedAt'>;

export class ToolRepository extends EntityRepository<Tool> {
  inProject(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    return this.findOne({ id: toolId, project: projectId });
  }

  lockInProject(tx: Transaction, projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    tx.takes('target');
    return this.findOne({ id: toolId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Locks the tool in share mode: until the commit, it is neither undeployed nor deleted. */
  lockSharedInProject(tx: Transaction, projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    tx.takes('target');
    return this.findOne({ id: toolId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_READ, refresh: true });
  }

  /** Returns the deployment before this one, or null if there is no such tool or it has no version. */
  deploy(projectId: Id<'project'>, toolId: Id<'tool'>, now: Deployed): Statement<Deployed | null> {
    const { deployedVersionId, deployedAt, modifiedAt } = now;
    return row<Deployed>(
      planned`with held as (
                select * from tool
                where id = ${toolId} and project_id = ${projectId} and version_id is not null for update),
              deployed as (
                update tool set deployed_version_id = ${deployedVersionId}, deployed_at = ${deployedAt},
                  modified_at = ${modifiedAt}
                from held where tool.id = held.id)
              select ${someColumnsOf(Tool, ['deployedVersionId', 'deployedAt', 'modifiedAt'])} from held as tool`,
    ).taking('target');
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
