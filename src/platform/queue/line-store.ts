import { Injectable } from '@nestjs/common';
import { planned, raw, type Sql, sql } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import { UNSYNCED } from '../database/unsynced.js';

const IN_LINE = raw(`state = 'queued' and place is null`);

/** So often places are given away that others give away meanwhile. */
const TRIES = 5;

/** Jobs that take turns, and how many of them may run at a time. */
export interface Lane {
  lane: string;
  width: number;
}

/**
 * The query for who gets the places of a lane next, each at least as wide as the least place. Where one runs at a time,
 * the order in which they were added decides; else the time for which each waits, so that what is tried again later keeps
 * nobody waiting. Whoever another transaction holds is left to it.
 */
export function nextInLine({ lane, width }: Lane, leastPlace: number, most: number): Sql {
  if (width === 1) {
    return sql`select id, width from job where id = (
                 select id from job where lane = ${lane} and ${IN_LINE} order by seq limit 1)
                 and ${IN_LINE} and width >= ${leastPlace} for update skip locked`;
  }
  return sql`select id, width from job where lane = ${lane} and ${IN_LINE} and width > 1 and width >= ${leastPlace}
               and run_at <= now() order by run_at, seq limit ${most} for update skip locked`;
}

/** Lanes: who has a place, and who stands in line for one. */
@Injectable()
export class LineStore {
  constructor(private readonly statements: Statements) {}

  /** Gives the lane's free places to those who are first in line. False when there was none to give, or nobody. */
  async serve(lane: Lane): Promise<boolean> {
    for (let tried = 1; tried <= TRIES; tried += 1) {
      const isServed = await this.giveFreePlaces(lane);
      if (isServed !== 'taken meanwhile') return isServed;
    }
    // What that leaves undone, the workers find when they look.
    return false;
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
         (select count(*) from job where job.lane = hop.lane and place is not null) < width
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

  /** In any order, so that those who do this at the same moment rarely give the same place away. */
  private async giveFreePlaces({ lane, width }: Lane): Promise<boolean | 'taken meanwhile'> {
    try {
      const rows = await this.statements.run(
        planned`with next as materialized (
           select id, width, row_number() over () as n from (${nextInLine({ lane, width }, 1, width)}) as in_line),
         free as (
           select place, row_number() over () as n from (
             select place::smallint from generate_series(1, ${widthInPlan(width)}) as place
             where exists (select from next)
               and not exists (select from job where lane = ${lane} and job.place = place.place)
             order by random()) as place)
         update job set place = free.place from ${UNSYNCED}, free join next using (n)
         where job.id = next.id and next.width >= free.place returning job.id`,
      );
      return rows.length > 0;
    } catch (error) {
      if (isPlaceTaken(error)) return 'taken meanwhile';
      throw error;
    }
  }
}

/** Its text: of a parameter the plan would expect a thousand places, and be made anew each time. */
function widthInPlan(width: number): Sql {
  return raw(String(Math.trunc(width)));
}

function isPlaceTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'job_place';
}
