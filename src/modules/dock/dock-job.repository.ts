import { EntityRepository, LockMode } from '@mikro-orm/postgresql';
import type { Id } from '../../kernel/ids.js';
import { columnsOf, newRow, someColumnsOf } from '../../platform/database/columns.js';
import { demand } from '../../platform/database/demand.js';
import { opaque, planned, sql } from '../../platform/database/sql.js';
import { row, rows, type Statement, write } from '../../platform/database/statement.js';
import type { Transaction } from '../../platform/database/transaction.js';
import { UNSYNCED } from '../../platform/database/unsynced.js';
import {
  type DockAction,
  type DockEnding,
  type DockProgress,
  DockJob,
  type DockJobRow,
  type DockJobType,
} from './dock-job.entity.js';

const RUNNING = 'the dock job is running';
/** For a dock job that is found by its id. */
const IN_PROGRESS = opaque(`status = 'IN_PROGRESS'`);

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

  lockInProject(tx: Transaction, projectId: Id<'project'>, dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    tx.takes('dockJob');
    return this.findOne({ id: dockJobId, project: projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  /** Finds a dock job by its id alone, for requests with a link and for waiting callers. */
  byId(dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    return this.findOne({ id: dockJobId }, { refresh: true });
  }

  lockById(tx: Transaction, dockJobId: Id<'dockJob'>): Promise<DockJob | null> {
    tx.takes('dockJob');
    return this.findOne({ id: dockJobId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  }

  add(dockJob: DockJobRow): Statement<void> {
    return write(planned`insert into dock_job ${newRow(DockJob, dockJob)}`);
  }

  /** Returns the running dock job of a target. It can change afterwards unless the transaction has locked the target. */
  runningFor(targetId: string): Statement<Pick<DockJobRow, 'id' | 'action'> | null> {
    return row(
      planned`select ${someColumnsOf(DockJob, ['id', 'action'])} from dock_job
              where target_id = ${targetId} and status = 'IN_PROGRESS'`,
    );
  }

  /** Returns the dock job, or null if it has ended. */
  running(dockJobId: Id<'dockJob'>): Statement<DockJobRow | null> {
    return row(sql`select ${columnsOf(DockJob)} from dock_job where id = ${dockJobId} and ${IN_PROGRESS}`);
  }

  /** Locks a dock job, so that no other transaction ends it. Fails, and the commit with it, if the dock job has ended. */
  lockRunning(dockJobId: Id<'dockJob'>): Statement<void> {
    return write(
      planned`with running as materialized (
                select id from dock_job where id = ${dockJobId} and ${IN_PROGRESS} for update)
              select ${demand(sql`exists (select from running)`, RUNNING)}`,
    ).taking('dockJob');
  }

  /** Ends a dock job that the transaction has locked. */
  end(dockJobId: Id<'dockJob'>, ending: DockEnding, startedAt: Date, finishedAt: Date): Statement<void> {
    const times = sql`started_at = coalesce(started_at, ${startedAt}), finished_at = ${finishedAt}`;
    if (ending.status === 'SUCCESS') {
      const response = ending.response && JSON.stringify(ending.response);
      return write(
        planned`update dock_job set status = 'SUCCESS', percentage_complete = 100, response = ${response}, ${times}
                where id = ${dockJobId}`,
      ).taking('dockJob');
    }
    const { errorCode, errorMessage } = ending;
    return write(
      planned`update dock_job set status = 'FAILED', error_code = ${errorCode}, error_message = ${errorMessage}, ${times}
              where id = ${dockJobId}`,
    ).taking('dockJob');
  }

  /**
   * Writes that an attempt has begun, and its progress if that is known. Does nothing if the job has ended or a later
   * attempt has begun. The write may be lost if the database crashes right after it.
   */
  noteProgress(
    dockJobId: Id<'dockJob'>,
    attempt: number,
    startedAt: Date,
    progress: DockProgress | null,
  ): Statement<void> {
    const { percentageComplete = null, stage = null } = progress ?? {};
    return write(
      planned`update dock_job set attempts = ${attempt}, started_at = coalesce(started_at, ${startedAt}),
                percentage_complete = coalesce(${percentageComplete}, percentage_complete), stage = coalesce(${stage}, stage)
              from ${UNSYNCED} where id = ${dockJobId} and attempts <= ${attempt} and ${IN_PROGRESS}`,
    ).taking('dockJob');
  }

  /** Counts the dock jobs that have not ended, and those that ended within a day. */
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
