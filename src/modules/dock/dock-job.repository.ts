import { EntityRepository, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import { columnsOf, newRow, someColumnsOf } from '../../platform/database/columns.js';
import { planned, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../platform/database/statement.js';
import { UNSYNCED } from '../../platform/database/unsynced.js';
import {
  type DockAction,
  type DockEnding,
  DockJob,
  type DockJobRow,
  type DockJobType,
  type DockStatus,
} from './dock-job.entity.js';

export interface DockJobFilter {
  status?: DockStatus | undefined;
  jobType?: DockJobType | undefined;
  targetId?: string | undefined;
}

export const COUNTED_STATES = ['waiting', 'running', 'succeeded', 'failed'] as const;

export interface DockJobCount {
  type: DockJobType;
  action: DockAction;
  state: (typeof COUNTED_STATES)[number];
  count: number;
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

  add(dockJob: DockJobRow): Statement<void> {
    return write(planned`insert into dock_job ${newRow(DockJob, dockJob)}`);
  }

  /** Until the commit nobody else starts a job for the target. */
  lockTarget(targetId: string): Statement<void> {
    return write(planned`select pg_advisory_xact_lock(hashtextextended('dock ' || ${targetId}::text, 0))`).taking(
      'target',
    );
  }

  runningFor(targetId: string): Statement<Pick<DockJobRow, 'id' | 'action'> | null> {
    return row(
      planned`select ${someColumnsOf(DockJob, ['id', 'action'])} from dock_job
              where target_id = ${targetId} and status = 'IN_PROGRESS'`,
    );
  }

  /**
   * Counts the attempt that begins, and answers with the job as it is then. Nothing where the job has ended. A crash of
   * the database may take the count back: then there is one attempt more.
   */
  beginAttempt(dockJobId: Id<'dockJob'>): Statement<DockJobRow | null> {
    return row(
      planned`update dock_job set attempts = attempts + 1, started_at = coalesce(started_at, ${clock.now()})
              from ${UNSYNCED} where id = ${dockJobId} and status = 'IN_PROGRESS' returning ${columnsOf(DockJob)}`,
    );
  }

  /** Until the commit nobody else ends it. Nothing where it has ended. */
  lockRunning(dockJobId: Id<'dockJob'>): Statement<DockJobRow | null> {
    return row(
      planned`select ${columnsOf(DockJob)} from dock_job where id = ${dockJobId} and status = 'IN_PROGRESS' for update`,
    );
  }

  /** For whoever has locked it. */
  end(dockJobId: Id<'dockJob'>, ending: DockEnding): Statement<void> {
    const { status, percentageComplete, response, errorCode, errorMessage, finishedAt } = ending;
    return write(
      planned`update dock_job set status = ${status}, percentage_complete = ${percentageComplete},
                response = ${response && JSON.stringify(response)}, error_code = ${errorCode},
                error_message = ${errorMessage}, finished_at = ${finishedAt}
              where id = ${dockJobId}`,
    );
  }

  /** As if that attempt had not been. */
  forgiveAttempt(dockJobId: Id<'dockJob'>, attempt: number): Statement<void> {
    return write(sql`update dock_job set attempts = attempts - 1 where id = ${dockJobId} and attempts = ${attempt}`);
  }

  /** Nothing where the job has ended, or another attempt has begun. A crash of the database may take it back. */
  noteProgress(dockJobId: Id<'dockJob'>, attempt: number, percentage: number, stage: string): Statement<void> {
    return write(
      planned`update dock_job set percentage_complete = ${percentage}, stage = ${stage}
              from ${UNSYNCED} where id = ${dockJobId} and attempts = ${attempt} and status = 'IN_PROGRESS'`,
    );
  }

  /** Of those under way and of those that ended within a day. */
  countByState(): Statement<DockJobCount[]> {
    return rows(sql`
      select job_type as type, action, state, count(*)::int as count from (
        select job_type, action, case when started_at is null then 'waiting' else 'running' end as state
        from dock_job where status = 'IN_PROGRESS'
        union all
        select job_type, action, case status when 'SUCCESS' then 'succeeded' else 'failed' end
        from dock_job where finished_at > now() - interval '1 day') as counted
      group by job_type, action, state`);
  }
}
