import { planned, raw, type Sql, sql } from '../database/sql.js';
import { rows, type Statement, theRow } from '../database/statement.js';
import { UNSYNCED } from '../database/unsynced.js';
import type { Lane } from './job.entity.js';

const IN_LINE = raw(`state = 'queued' and place is null`);

/** A place may be had by a transaction that is still open, for as long as that is; nobody waits for it. */
const IMPATIENT = raw(`(select set_config('lock_timeout', '20ms', true)) as impatient`);

/**
 * The query for who gets a place of a lane next: one that is wide enough for the place. Where one runs at a time, the
 * order in which they were added decides; else the time for which each waits, so that what is tried again later keeps
 * nobody waiting. Whoever another transaction holds is left to it.
 */
export function nextInLine({ lane, width }: Lane, place: number | Sql): Sql {
  if (width === 1) {
    return sql`select id, width from job where id = (
                 select id from job where lane = ${lane} and ${IN_LINE} order by seq limit 1)
                 and ${IN_LINE} and width >= ${place} for update skip locked`;
  }
  return sql`select id, width from job where lane = ${lane} and ${IN_LINE} and width > 1 and width >= ${place}
               and run_at <= now() order by run_at, seq limit 1 for update skip locked`;
}

/** The query for the places of a lane that nobody has. */
export function freePlaces({ lane, width }: Lane): Sql {
  return sql`select place::smallint from generate_series(1, ${inPlan(width)}) as place
             where not exists (select from job where lane = ${lane} and job.place = place.place)`;
}

/** Who waits for a place of the lane. */
export function inLine({ lane, width }: Lane): Sql {
  const isDue = width === 1 ? raw('') : raw(' and width > 1 and run_at <= now()');
  return sql`select from job where lane = ${lane} and ${IN_LINE}${isDue}`;
}

export interface Given {
  isGiven: boolean;
  /** Others stand in line, for other places. */
  hasMore: boolean;
}

/**
 * Gives one place, any of those that are free, so that two processes rarely give the same. Two that gave several places
 * in one statement would wait for each other.
 */
export function givePlace(lane: Lane): Statement<Given> {
  return theRow<Given>(
    planned`with ${lane.width === 1 ? freeOnceLeft(lane) : sql`free as materialized (${freePlaces(lane)})`},
       next as materialized (
         select id, width from (${nextInLine(lane, sql`(select min(place) from free)`)}) as first
         where exists (select from free)),
       given as (
         update job set place = (select place from free where place <= next.width order by random() limit 1)
         from next, ${UNSYNCED}, ${IMPATIENT} where job.id = next.id returning job.id)
       select exists (select from given) as "isGiven",
         exists (select from given) and exists (select from free offset 1)
         and exists (${inLine(lane)} offset 1) as "hasMore"`,
  );
}

/**
 * The only place of a lane, also where who has it is about to end: locking that job waits for its commit. Whoever ends a
 * job did not see who was added at that moment.
 */
function freeOnceLeft({ lane }: Lane): Sql {
  return sql`holder as materialized (
         select job.id from job, ${UNSYNCED}, ${IMPATIENT} where lane = ${lane} and place = 1 for share of job),
       free as materialized (select 1::smallint as place where not exists (select from holder))`;
}

/** So many lanes by name, after the one given, each with whether it has a free place and somebody in line for it. */
export function lanesInLine(after: string, limit: number): Statement<(Lane & { isNeglected: boolean })[]> {
  // Hops from lane to lane along the index, however long the line of each.
  return rows<Lane & { isNeglected: boolean }>(
    planned`with recursive hop as (
       (select lane, width, 1 as hops from job where ${IN_LINE} and lane > ${after} order by lane, seq limit 1)
       union all
       select next.lane, next.width, hops + 1 from hop cross join lateral (
         select lane, width from job where ${IN_LINE} and lane > hop.lane order by lane, seq limit 1) as next
       where hops < ${limit})
     select lane, width,
       (select count(*) from job where job.lane = hop.lane and place <= hop.width) < width
       and (width = 1 or exists (
         select from job where job.lane = hop.lane and ${IN_LINE} and job.width > 1 and run_at <= now()))
       as "isNeglected"
     from hop`,
  );
}

/** Its text: of a parameter the plan would expect a thousand places, and be made anew each time. */
function inPlan(width: number): Sql {
  return raw(String(Math.trunc(width)));
}
