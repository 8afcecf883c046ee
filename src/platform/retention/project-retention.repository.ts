import { EntityRepository } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf, newRow, type RowOf } from '../database/columns.js';
import { sql } from '../database/sql.js';
import { rows, type Statement, write } from '../database/statement.js';
import { ProjectRetention } from './project-retention.entity.js';

type ProjectRetentionRow = RowOf<ProjectRetention>;

export class ProjectRetentionRepository extends EntityRepository<ProjectRetention> {
  ofProject(projectId: Id<'project'>): Statement<ProjectRetentionRow[]> {
    return rows(sql`select ${columnsOf(ProjectRetention)} from project_retention where project_id = ${projectId}`);
  }

  /** Reads the periods of all projects for one rule. */
  named(name: string): Statement<ProjectRetentionRow[]> {
    return rows(sql`select ${columnsOf(ProjectRetention)} from project_retention where name = ${name}`);
  }

  keep(retention: ProjectRetentionRow): Statement<void> {
    return write(sql`
      insert into project_retention ${newRow(ProjectRetention, retention)}
      on conflict (project_id, name) do update set days = excluded.days`);
  }

  forget(projectId: Id<'project'>, name: string): Statement<void> {
    return write(sql`delete from project_retention where project_id = ${projectId} and name = ${name}`);
  }
}
