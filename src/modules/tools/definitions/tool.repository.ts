import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../../kernel/ids.js';
import { type RowOf, someColumnsOf } from '../../../platform/database/columns.js';
import { planned, raw, type Sql, sql } from '../../../platform/database/sql.js';
import { row, rows, type Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Tool } from './tool.entity.js';

export type Deployed = Pick<RowOf<Tool, 'status'>, 'deployedVersionId' | 'deployedAt' | 'modifiedAt'>;

/** A deployed tool, and the name by which programs call it. No other deployed tool of the project has that name. */
export interface OfferedToolRow {
  readonly id: Id<'tool'>;
  readonly versionId: Id<'toolVersion'>;
  readonly name: string;
}

/** Of several tools with one name, the oldest has the name, and the name of each other one ends with its id. */
const OFFERED_NAME = raw(
  `case row_number() over (partition by name order by id) when 1 then name
     else left(name, 41) || '_' || substr(id, 3) end`,
);

export class ToolRepository extends EntityRepository<Tool> {
  inProject(projectId: Id<'project'>, toolId: Id<'tool'>): Promise<Tool | null> {
    return this.findOne({ id: toolId, project: projectId });
  }

  /** Returns the tools that no import has brought a version, newest first. */
  failed(projectId: Id<'project'>, limit: number): Promise<Tool[]> {
    return this.find({ project: projectId, hasFailed: true }, { orderBy: { id: 'desc' }, limit });
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
      planned`with locked as (
                select * from tool
                where id = ${toolId} and project_id = ${projectId} and version_id is not null for update),
              deployed as (
                update tool set deployed_version_id = ${deployedVersionId}, deployed_at = ${deployedAt},
                  modified_at = ${modifiedAt}
                from locked where tool.id = locked.id)
              select ${someColumnsOf(Tool, ['deployedVersionId', 'deployedAt', 'modifiedAt'])} from locked as tool`,
    ).taking('target');
  }

  deployedAmong(projectId: Id<'project'>, toolIds: readonly Id<'tool'>[]): Promise<Tool[]> {
    return this.find({ id: { $in: [...toolIds] }, project: projectId, deployedVersionId: { $ne: null } });
  }

  /** Finds deployed tools in the order of their ids. */
  offeredAfter(projectId: Id<'project'>, cursor: string, limit: number): Statement<OfferedToolRow[]> {
    return rows(offered(projectId, sql`id > ${cursor} order by id limit ${limit}`));
  }

  offeredAs(projectId: Id<'project'>, name: string): Statement<OfferedToolRow | null> {
    return row(offered(projectId, sql`name = ${name} order by id limit 1`));
  }

  list(projectId: Id<'project'>, part: { limit: number; offset: number }): Promise<[Tool[], number]> {
    return this.findAndCount({ project: projectId }, { orderBy: { id: 'desc' }, ...part });
  }
}

function offered(projectId: Id<'project'>, which: Sql): Sql {
  return sql`with named as (
      select tool.id, deployed_version_id as version_id, tool_json::json ->> 'name' as name
      from tool join tool_version on tool_version.id = deployed_version_id
      where project_id = ${projectId}),
    offered as (select id, version_id, ${OFFERED_NAME} as name from named)
    select id, version_id as "versionId", name from offered where ${which}`;
}
