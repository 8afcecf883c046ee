import { Injectable } from '@nestjs/common';
import { sql } from '../../database/sql.js';
import { rows } from '../../database/statement.js';
import { Statements } from '../../database/statements.js';
import { ERROR_SHOWN } from './jobs.admin.schema.js';

export interface FailedJobsOfName {
  name: string;
  count: number;
  /** The error of the newest one. */
  error: string;
}

/** Counts the failed jobs of a project. */
@Injectable()
export class FailedJobs {
  constructor(private readonly statements: Statements) {}

  ofProject(projectId: string): Promise<FailedJobsOfName[]> {
    return this.statements.ask(
      rows<FailedJobsOfName>(sql`
        select name, count(*)::int as count,
          coalesce(left((array_agg(error order by id desc))[1], ${ERROR_SHOWN}), '') as error
        from job where state = 'failed' and project_id = ${projectId} group by name order by name`),
    );
  }
}
