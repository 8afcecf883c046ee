import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { masterKeyOf } from '../../platform/crypto/sealed-rows.js';
import { columnsOf, someColumnsOf } from '../../platform/database/columns.js';
import { planned, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement } from '../../platform/database/statement.js';
import { Connection, type ConnectionRow, type Status } from './connection.entity.js';

export interface ConnectionFilter {
  provider?: string | undefined;
  status?: Status | undefined;
}

export type NamedConnection = Pick<ConnectionRow, 'id' | 'name'>;

export class ConnectionRepository extends EntityRepository<Connection> {
  inProject(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<Connection | null> {
    return this.findOne({ id: connectionId, project: projectId });
  }

  lockInProject(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<Connection | null> {
    return this.findOne({ id: connectionId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Returns a page, newest first, and the number of all that match. */
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

  /** Returns connections whose master key is missing, oldest first. Their secrets are not opened for that. */
  unreadable(projectId: Id<'project'>, masterKeys: readonly number[], limit: number): Statement<NamedConnection[]> {
    return rows(sql`
      select ${someColumnsOf(Connection, ['id', 'name'])} from connection
      where project_id = ${projectId} and (${masterKeyOf('secrets_sealed')} = any(${masterKeys}::integer[])) is not true
      order by id limit ${limit}`);
  }

  /** Returns the names of those of the ids that are connections of the project. */
  namesOf(projectId: Id<'project'>, ids: readonly string[]): Statement<Map<string, string>> {
    return rows<NamedConnection>(sql`
      select ${someColumnsOf(Connection, ['id', 'name'])} from connection
      where project_id = ${projectId} and id = any(${ids}::text[])`).as(
      (known) => new Map(known.map(({ id, name }) => [id, name])),
    );
  }

  /** Returns the row without an entity, because every call of a model reads it. */
  rowInProject(projectId: Id<'project'>, connectionId: Id<'connection'>): Statement<ConnectionRow | null> {
    return row<ConnectionRow>(
      planned`select ${columnsOf(Connection)} from connection where id = ${connectionId} and project_id = ${projectId}`,
    );
  }

  /**
   * Finds a connection by its name or its model: the newest active one, else the newest. Calls of models read it, too.
   */
  newestNamed(projectId: Id<'project'>, named: string): Statement<ConnectionRow | null> {
    return row<ConnectionRow>(
      planned`select ${columnsOf(Connection)} from connection
              where project_id = ${projectId} and (name = ${named} or model = ${named})
              order by status = 'ACTIVE' desc, id desc limit 1`,
    );
  }
}
