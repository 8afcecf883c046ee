import { EntityRepository } from '@mikro-orm/postgresql';
import { columnsOf, newRow } from '../../platform/database/columns.js';
import { raw, sql } from '../../platform/database/sql.js';
import { rows, type Statement, theRow, write } from '../../platform/database/statement.js';
import { HostingProcess, type HostingProcessRow } from './hosting-process.entity.js';
import { type ClaimedDeployment, IS_CLAIMED, readClaimed, TO_SERVE } from './model-deployment.repository.js';

/** A process that has not renewed its lease for this long is regarded as dead. */
const LEASE = raw(`interval '6 seconds'`);
/** The lease while there is no deployment to claim. It is long, so that it is renewed rarely. */
const LEASE_WHEN_IDLE = raw(`interval '60 seconds'`);

/** The work of a process for the deployments of its kind of host. */
export interface HostingWork {
  /** Whether the installation has deployments that some process must serve. */
  isAny: boolean;
  /** Whether no live process had claimed one of them, so that it is worth trying to claim it. */
  isAnyFree: boolean;
  /** The deployments that this process has claimed and has to serve. */
  claimed: ClaimedDeployment[];
}

export class HostingProcessRepository extends EntityRepository<HostingProcess> {
  /**
   * Renews the lease of a process, and writes how many more replicas it has room for, or why it cannot host any. Answers
   * the work in the same statement, because each process asks this all the time.
   */
  renewLease(process: Omit<HostingProcessRow, 'leaseUntil'>): Statement<HostingWork> {
    const lease = sql`case when (select "isAny" from wanted) then ${LEASE} else ${LEASE_WHEN_IDLE} end`;
    return theRow<HostingWork>(sql`
      with wanted as materialized (
        select count(*) > 0 as "isAny", count(*) filter (where not ${IS_CLAIMED}) > 0 as "isAnyFree"
        from model_deployment d where d.host = ${process.host} and ${TO_SERVE}),
      renewed as (
        insert into model_host ${newRow(HostingProcess, { ...process, leaseUntil: sql`now() + ${lease}` })}
        on conflict (holder) do update
        set room = excluded.room, problem = excluded.problem, lease_until = excluded.lease_until),
      claimed as (select * from model_deployment d where d.holder = ${process.id} and ${TO_SERVE})
      select "isAny", "isAnyFree", (select coalesce(jsonb_agg(c), '[]') from (${readClaimed()}) c) as claimed
      from wanted`);
  }

  /** Deletes a process and its replicas, so that other processes may claim its deployments at once. */
  delete(id: string): Statement<void> {
    return write(sql`delete from model_host where holder = ${id}`);
  }

  live(host: string): Statement<HostingProcessRow[]> {
    return rows(sql`select ${columnsOf(HostingProcess)} from model_host where host = ${host} and lease_until > now()`);
  }
}
