import { planned, raw, sql } from '../database/sql.js';
import { type Statement, theRow } from '../database/statement.js';

/** The work that one statement finds for a worker. */
export interface Look {
  /** Whether a job may be claimed. */
  hasDue: boolean;
  /** Whether the lease of a running job has run out. */
  hasExpired: boolean;
  /** Whether a suspension has reached its end. */
  hasSuspensionOver: boolean;
  /** Whether jobs are queued for a place of their lane. */
  hasQueue: boolean;
  /** The time until the next job, lease or suspension is due, or null if there is none. */
  dueInMs: number | null;
}

export const CLAIMABLE = raw(`state = 'queued' and place is not null`);

/**
 * The recursive query `first_claimable`, which finds for each project the claimable job that is due first. It hops from
 * project to project along the index, so its cost does not grow with the number of jobs.
 */
export const FIRST_CLAIMABLE = sql`first_claimable as (
  (select coalesce(project_id, '') as project, run_at from job where ${CLAIMABLE}
   order by coalesce(project_id, ''), run_at limit 1)
  union all
  select next.project, next.run_at from first_claimable cross join lateral (
    select coalesce(project_id, '') as project, run_at from job
    where ${CLAIMABLE} and coalesce(project_id, '') > first_claimable.project
    order by coalesce(project_id, ''), run_at limit 1) as next)`;

/** Finds which kinds of work are due now, and the time until the next work is due. */
export function look(): Statement<Look> {
  return theRow<Look>(
    planned`with recursive ${FIRST_CLAIMABLE},
       next as materialized (
         select (select min(run_at) from first_claimable) as due,
           (select min(lease_until) from job where state = 'running') as lease,
           (select min(run_at) from job where state = 'suspended') as suspension)
     select coalesce(due <= now(), false) as "hasDue", coalesce(lease < now(), false) as "hasExpired",
       coalesce(suspension <= now(), false) as "hasSuspensionOver",
       exists (select from job where state = 'queued' and place is null) as "hasQueue",
       (extract(epoch from least(due, lease, suspension) - now()) * 1000)::float8 as "dueInMs"
     from next`,
  );
}
