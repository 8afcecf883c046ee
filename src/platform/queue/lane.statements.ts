import { opaque, planned, raw, type Sql, sql } from '../database/sql.js';
import { rows, type Statement, theRow } from '../database/statement.js';
import { UNSYNCED } from '../database/unsynced.js';
import type { Lane } from './job.entity.js';

const WITHOUT_PLACE = raw(`state = 'queued' and place is null`);
/** For a job that is found by its id. */
const STILL_WITHOUT_PLACE = opaque(`state = 'queued' and place is null`);

/** Limits the wait for a locked place to 20 ms, because the transaction that locks it may stay open for long. */
const SHORT_LOCK_TIMEOUT = raw(`(select set_config('lock_timeout', '20ms', true)) as short_timeout`);

/**
 * Selects the queued job that gets a lane's next place, if the job is wide enough for that place. In a lane of width
 * one the jobs follow in the order in which they were added. In a wider lane they follow by `run_at`, so that a job
 * which is tried again later delays no other job. A job that another transaction has locked is skipped, and is left to
 * that transaction.
 */
export function nextQueued({ lane, width }: Lane, place: number | Sql): Sql {
  if (width === 1) {
    return sql`select id, width from job where id = (
                 select id from job where lane = ${lane} and ${WITHOUT_PLACE} order by seq limit 1)
                 and ${STILL_WITHOUT_PLACE} and width >= ${place} for update skip locked`;
  }
  return sql`select id, width from job where lane = ${lane} and ${WITHOUT_PLACE} and width > 1 and width >= ${place}
               and run_at <= now() order by run_at, seq limit 1 for update skip locked`;
}

/** Selects the places of a lane that no job has. */
export function freePlaces({ lane, width }: Lane): Sql {
  return sql`select place::smallint from generate_series(1, ${asText(width)}) as place
             where not exists (select from job where lane = ${lane} and job.place = place.place)`;
}

/** Selects the jobs that are queued for a place of the lane. */
export function queuedJobs({ lane, width }: Lane): Sql {
  const isDue = width === 1 ? raw('') : raw(' and width > 1 and run_at <= now()');
  return sql`select from job where lane = ${lane} and ${WITHOUT_PLACE}${isDue}`;
}

export interface Given {
  isGiven: boolean;
  /** Whether further jobs are queued and further places are free. */
  hasMore: boolean;
}

/**
 * Gives one of the free places to one job. The place is chosen at random, so that two processes rarely choose the same
 * one. A statement that gave several places could deadlock with another one.
 */
export function givePlace(lane: Lane): Statement<Given> {
  return theRow<Given>(
    planned`with ${lane.width === 1 ? onlyPlaceOnceFree(lane) : sql`free as materialized (${freePlaces(lane)})`},
       next as materialized (
         select id, width from (${nextQueued(lane, sql`(select min(place) from free)`)}) as first
         where exists (select from free)),
       given as (
         update job set place = (select place from free where place <= next.width order by random() limit 1)
         from next, ${UNSYNCED}, ${SHORT_LOCK_TIMEOUT} where job.id = next.id returning job.id)
       select exists (select from given) as "isGiven",
         exists (select from given) and exists (select from free offset 1)
         and exists (${queuedJobs(lane)} offset 1) as "hasMore"`,
  ).taking('job');
}

/**
 * Selects the only place of a lane of width one. If the job that has it is about to end, locking that job waits for its
 * commit, for at most 20 ms. The transaction that ends a job does not see jobs that are added at that moment, so it
 * cannot serve them.
 */
function onlyPlaceOnceFree({ lane }: Lane): Sql {
  return sql`placed as materialized (
         select job.id from job, ${UNSYNCED}, ${SHORT_LOCK_TIMEOUT} where lane = ${lane} and place = 1 for share of job),
       free as materialized (select 1::smallint as place where not exists (select from placed))`;
}

/**
 * Lists lanes with queued jobs, by name, after the given one. A lane is neglected if it has a free place and a queued
 * job that may take it.
 */
export function lanesWithQueue(after: string, limit: number): Statement<(Lane & { isNeglected: boolean })[]> {
  // The recursion hops from lane to lane along the index, so its cost does not grow with the number of queued jobs.
  return rows<Lane & { isNeglected: boolean }>(
    planned`with recursive hop as (
       (select lane, width, 1 as hops from job where ${WITHOUT_PLACE} and lane > ${after} order by lane, seq limit 1)
       union all
       select next.lane, next.width, hops + 1 from hop cross join lateral (
         select lane, width from job where ${WITHOUT_PLACE} and lane > hop.lane order by lane, seq limit 1) as next
       where hops < ${limit})
     select lane, width,
       (select count(*) from job where job.lane = hop.lane and place <= hop.width) < width
       and (width = 1 or exists (
         select from job where job.lane = hop.lane and ${WITHOUT_PLACE} and job.width > 1 and run_at <= now()))
       as "isNeglected"
     from hop`,
  );
}

/**
 * Writes the width into the text. With a parameter the planner would expect a thousand places, and PostgreSQL would
 * plan the statement again each time.
 */
function asText(width: number): Sql {
  return raw(String(Math.trunc(width)));
}
