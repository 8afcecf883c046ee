import type { QueueLimits } from '../../kernel/queues.js';
import { someColumnsOf } from '../database/columns.js';
import { sql } from '../database/sql.js';
import { rows, type Statement } from '../database/statement.js';
import { UNSYNCED } from '../database/unsynced.js';
import { CLAIMED, type ClaimedJob, Job } from './job.entity.js';
import { leaseEnd } from './lease.js';
import { CLAIMABLE, firstClaimable } from './look.statement.js';

/** How many jobs a process may claim. */
export interface Room {
  /** The slots that are left. */
  left: number;
  /** The number of slots that each project has in this process. */
  running: ReadonlyMap<string, number>;
  /** The queues from which jobs are claimed, and how many of each. */
  queues: QueueLimits;
}

/**
 * Claims due jobs for as many slots as are left. Each slot goes to the project that has the fewest in this process. A
 * project gets no slot if it already has as many as are left, which is the rule of `Shares`. A project alone may thus take
 * half of the slots that are left beyond its own, because each slot that it takes adds one to its count and takes one
 * from what is left. `found` first leaves out what is beyond the room of a queue, so that it takes no slot from the others.
 *
 * The statement has one plan, because making a plan takes longer than claiming. The list of ids keeps that plan good for
 * any number of jobs: a join might read all of them.
 *
 * The commit does not wait for the disk. If a crash of the database undoes a claim, the job can be claimed again, and
 * the fence keeps out the worker that still runs it.
 */
export function claim({ left, running, queues }: Room): Statement<ClaimedJob[]> {
  const [projects, counts] = [[...running.keys()], [...running.values()]];
  const names = [...queues.keys()];
  const rooms = [...queues.values()].map((room) => Math.min(room, left));
  return rows<ClaimedJob>(
    sql`with recursive ${firstClaimable(names)},
       waiting as (
         select queue, project, room, running from (
           select queue, project, room, coalesce(busy.running, 0) as running,
             row_number() over (partition by queue order by coalesce(busy.running, 0), random()) as number_in_queue
           from first_claimable
           join unnest(${names}::text[], ${rooms}::int[]) as served (queue, room) using (queue)
           left join unnest(${projects}::text[], ${counts}::int[]) as busy (project, running) using (project)
           where run_at <= now() and coalesce(busy.running, 0) < ${left}::int) as due
         where number_in_queue <= room),
       found as (
         select due.id, due.run_at, due.seq, project, running, room,
           row_number() over (partition by queue order by running + due.turn, random()) as number_in_queue
         from waiting cross join lateral (
           select id, run_at, seq, row_number() over () as turn from (
             select id, run_at, seq from job
             where ${CLAIMABLE} and job.queue = waiting.queue and coalesce(project_id, '') = waiting.project
               and run_at <= now()
             order by run_at, seq limit least(room, (${left}::int - waiting.running + 1) / 2) for update skip locked)
             as first_due) as due),
       shared as (
         select id, running + row_number() over (partition by project order by run_at, seq) as had_then
         from found where number_in_queue <= room),
       chosen as materialized (
         select id, had_then, row_number() over (order by had_then, random()) as taken_then from shared)
       update job set state = 'running', attempt = attempt + 1, claim = gen_random_uuid(), lease_until = ${leaseEnd()}
       from ${UNSYNCED}
       where job.id = any(array(select chosen.id from chosen where had_then - 1 <= ${left}::int - taken_then))
       returning ${someColumnsOf(Job, CLAIMED, 'job')}`.plannedForAll(),
  ).taking('job');
}
