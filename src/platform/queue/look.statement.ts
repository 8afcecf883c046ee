import type { QueueName } from '../../kernel/queues.js';
import { raw, type Sql, sql } from '../database/sql.js';
import { type Statement, theRow } from '../database/statement.js';

/** The work that one statement finds for a worker. */
export interface Look {
  /** Whether a job may be claimed. */
  hasDue: boolean;
  /** Whether the lease of a running job has run out. */
  hasExpired: boolean;
  /** Whether a suspension has reached its end. */
  hasSuspensionOver: boolean;
  /** Whether jobs are queued for a place of their lane, in any queue. */
  hasQueue: boolean;
  /** The time until the next job, lease or suspension is due, or null if there is none. */
  dueInMs: number | null;
}

export const CLAIMABLE = raw(`state = 'queued' and place is not null`);

/**
 * The recursive query `first_claimable`, which finds for each project the claimable job of each of these queues that is
 * due first. It hops from project to project along the index, so its cost does not grow with the number of jobs.
 */
export function firstClaimable(queues: readonly QueueName[]): Sql {
  return sql`first_claimable as (
  (select served.queue, first.project, first.run_at from unnest(${queues}::text[]) as served (queue) cross join lateral (
    select coalesce(project_id, '') as project, run_at from job where ${CLAIMABLE} and job.queue = served.queue
    order by coalesce(project_id, ''), run_at limit 1) as first)
  union all
  select first_claimable.queue, next.project, next.run_at from first_claimable cross join lateral (
    select coalesce(project_id, '') as project, run_at from job
    where ${CLAIMABLE} and job.queue = first_claimable.queue and coalesce(project_id, '') > first_claimable.project
    order by coalesce(project_id, ''), run_at limit 1) as next)`;
}

/** Finds which kinds of work of these queues are due now, and the time until the next work is due. */
export function look(queues: readonly QueueName[]): Statement<Look> {
  const served = sql`unnest(${queues}::text[]) as served (queue)`;
  return theRow<Look>(
    sql`with recursive ${firstClaimable(queues)},
       next as materialized (
         select (select min(run_at) from first_claimable) as due,
           (select min(lease_until) from ${served} cross join lateral (
             select lease_until from job where state = 'running' and job.queue = served.queue
             order by lease_until limit 1) as first) as lease,
           (select min(run_at) from ${served} cross join lateral (
             select run_at from job where state = 'suspended' and job.queue = served.queue
             order by run_at limit 1) as first) as suspension)
     select coalesce(due <= now(), false) as "hasDue", coalesce(lease < now(), false) as "hasExpired",
       coalesce(suspension <= now(), false) as "hasSuspensionOver",
       exists (select from job where state = 'queued' and place is null) as "hasQueue",
       (extract(epoch from least(due, lease, suspension) - now()) * 1000)::float8 as "dueInMs"
     from next`.plannedForAll(),
  );
}
