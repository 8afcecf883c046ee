import { Injectable } from '@nestjs/common';
import { isLockTimeout } from '../database/database.errors.js';
import { planned, raw, type Sql, sql } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import { UNSYNCED } from '../database/unsynced.js';

const IN_LINE = raw(`state = 'queued' and place is null`);

/** A place may be had by a transaction that is still open, for as long as that is; nobody waits for it. */
const IMPATIENT = raw(`(select set_config('lock_timeout', '20ms', true)) as impatient`);

/** So often a place may be given that another has, or gives away, at that moment. */
const TRIES = 5;

/** Jobs that take turns, and how many of them may run at a time. */
export interface Lane {
  lane: string;
  width: number;
}

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

interface Given {
  isGiven: boolean;
  /** Others stand in line, for other places. */
  hasMore: boolean;
}

/** Lanes: who has a place, and who stands in line for one. */
@Injectable()
export class LineStore {
  constructor(private readonly statements: Statements) {}

  /** Gives the lane's free places to those who are first in line. False when there was none to give, or nobody. */
  async serve(lane: Lane): Promise<boolean> {
    let isServed = false;
    let lost = 0;
    // What they leave undone who lose too often, the workers find when they look.
    while (lost < TRIES) {
      const given = await this.givePlace(lane);
      if (given === null) lost += 1;
      else isServed ||= given.isGiven;
      if (given && !given.hasMore) break;
    }
    return isServed;
  }

  /** Lanes that have a free place and somebody in line for it: of so many lanes, by name, after the one given. */
  async neglected(after: string, limit: number): Promise<{ lanes: Lane[]; last: string }> {
    // Hops from lane to lane along the index, however long the line of each.
    const rows = await this.statements.run<Lane & { isNeglected: boolean }>(
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
    return {
      lanes: rows.filter(({ isNeglected }) => isNeglected),
      last: rows.length === limit ? rows.at(-1)!.lane : '',
    };
  }

  /**
   * One place, any of those that are free, so that two rarely give the same: null for whoever comes second. Of more
   * places in a statement two would wait for each other.
   */
  private async givePlace(lane: Lane): Promise<Given | null> {
    try {
      const [given] = await this.statements.run<Given>(
        planned`with free as materialized (${freePlaces(lane)}),
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
      return given!;
    } catch (error) {
      if (isPlaceTaken(error) || isLockTimeout(error)) return null;
      throw error;
    }
  }
}

/** Its text: of a parameter the plan would expect a thousand places, and be made anew each time. */
function inPlan(width: number): Sql {
  return raw(String(Math.trunc(width)));
}

function isPlaceTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'job_place';
}
