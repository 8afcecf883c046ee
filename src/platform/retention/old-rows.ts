import { raw, type Sql, sql } from '../database/sql.js';
import { rows, type Statement } from '../database/statement.js';
import type { Cutoffs, Sweep, SweepContext } from './retention-rule.js';

interface OldRows {
  table: string;
  /** The column whose age counts: it is first in an index or, in a table with projects, behind the project. */
  time: string;
  /** The column of the project, for rules with periods of projects. */
  project?: string;
  /** Which rows are ever due: as the index has it, where it is partial. */
  where?: string;
}

/** Rows that are due together. */
interface Selection {
  condition: Sql;
  until: Date;
}

/** A project that has rows, or null for the rows that have none. */
interface OldestOfProject {
  project: string | null;
  oldest: Date | null;
}

/** Few enough that nobody waits long for what one statement holds. */
const ROWS_A_STATEMENT = 1_000;

/** Removes old rows, the oldest first, one small statement after the other. */
export function oldRows(old: OldRows): Sweep {
  return {
    tables: [old.table],
    run: async (context) => {
      let removed = 0;
      for (const selection of await selectionsOf(old, context)) removed += await remove(old, selection, context);
      return removed;
    },
  };
}

/** Goes from project to project, so that a row costs one index entry for its age and not two. */
async function selectionsOf(old: OldRows, { statements, cutoffs }: SweepContext): Promise<Selection[]> {
  if (old.project === undefined) return [{ condition: raw('true'), until: cutoffs.general }];
  const column = raw(old.project);
  const found = await statements.ask(oldestOfProjects(old, column));
  return (
    found
      .map(({ project, oldest }) => ({ project, oldest, until: untilOf(project, cutoffs) }))
      .filter(({ oldest, until }) => oldest !== null && oldest < until)
      // Those that have waited longest come first: there may be no time for all.
      .sort((a, b) => Number(a.oldest) - Number(b.oldest))
      .map(({ project, until }) => ({
        condition: project === null ? sql`${column} is null` : sql`${column} = ${project}`,
        until,
      }))
  );
}

function untilOf(project: string | null, { general, ofProjects }: Cutoffs): Date {
  return (project === null ? undefined : ofProjects.get(project)) ?? general;
}

/** Hops from project to project along the index, however many rows each has. */
function oldestOfProjects({ table, time, where = 'true' }: OldRows, project: Sql): Statement<OldestOfProject[]> {
  const [of, at, isDueOnce] = [raw(table), raw(time), raw(where)];
  return rows(sql`
    with recursive found (project) as (
      (select ${project} from ${of} where ${isDueOnce} and ${project} is not null order by ${project} limit 1)
      union all
      select next.project from found cross join lateral (
        select ${project} as project from ${of} where ${isDueOnce} and ${project} > found.project
        order by ${project} limit 1) as next)
    select project, (select min(${at}) from ${of} where ${isDueOnce} and ${project} = found.project) as oldest from found
    union all
    select null, min(${at}) from ${of} where ${isDueOnce} and ${project} is null`);
}

async function remove(
  old: OldRows,
  { condition, until }: Selection,
  { statements, hasTime }: SweepContext,
): Promise<number> {
  let removed = 0;
  // Where the last statement ended, so that what others keep from before is passed over once.
  let from = new Date(0);
  while (hasTime()) {
    const times = await statements.ask(removeSome(old, condition, from, until));
    removed += times.length;
    if (times.length < ROWS_A_STATEMENT) break;
    from = times.reduce((latest, at) => (at > latest ? at : latest), from);
  }
  return removed;
}

/** Answers with the times of the rows that it removed. */
function removeSome({ table, time, where = 'true' }: OldRows, condition: Sql, from: Date, until: Date) {
  const [of, at] = [raw(table), raw(time)];
  const removed: Statement<{ time: Date }[]> = rows(sql`
    delete from ${of} where ctid = any(array(
      select ctid from ${of} where ${condition} and ${raw(where)} and ${at} >= ${from} and ${at} < ${until}
      order by ${at} limit ${ROWS_A_STATEMENT} for update skip locked))
    returning ${at} as time`);
  return removed.as((some) => some.map(({ time: removedAt }) => removedAt));
}
