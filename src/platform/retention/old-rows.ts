import { raw, type Sql, sql } from '../database/sql.js';
import { rows, type Statement } from '../database/statement.js';
import type { Cutoffs, Sweep, SweepContext } from './retention-rule.js';

export interface OldRows {
  table: string;
  /**
   * The column by whose age rows are removed. It is the first one of an index or, in a table with projects, follows the
   * project in the index.
   */
  time: string;
  /** The column of the project, for rules with periods of projects. */
  project?: string;
  /** The condition that a row must meet before it is ever removed; it is that of a partial index. */
  where?: string;
}

/** Rows that are removed together. */
interface Selection {
  condition: Sql;
  until: Date;
}

/** A project with rows, or null for the rows without a project. */
interface OldestOfProject {
  project: string | null;
  oldest: Date | null;
}

/** Small enough that other transactions do not wait long for the rows that one statement locks. */
const ROWS_A_STATEMENT = 1_000;

/** Removes old rows, the oldest first, in one small statement after the other. */
export function oldRows(old: OldRows): Sweep {
  return {
    tables: [old.table],
    project: old.project ?? null,
    run: async (context) => {
      let removed = 0;
      for (const selection of await selectionsOf(old, context)) removed += await remove(old, selection, context);
      return removed;
    },
  };
}

/** Selects the rows of each project on its own, so that a row needs one index entry for its age instead of two. */
async function selectionsOf(old: OldRows, { statements, cutoffs }: SweepContext): Promise<Selection[]> {
  if (old.project === undefined) return [{ condition: raw('true'), until: cutoffs.general }];
  const column = raw(old.project);
  const found = await statements.ask(oldestOfProjects(old, column));
  return (
    found
      .map(({ project, oldest }) => ({ project, oldest, until: untilOf(project, cutoffs) }))
      .filter(({ oldest, until }) => oldest !== null && oldest < until)
      // The projects with the oldest rows come first, because there may not be time for all.
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

/** Hops from project to project along the index, so the cost does not grow with the number of rows. */
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
  // Each statement begins where the last one ended, so that older rows that are locked are skipped only once.
  let from = new Date(0);
  while (hasTime()) {
    const times = await statements.ask(removeSome(old, condition, from, until));
    removed += times.length;
    if (times.length < ROWS_A_STATEMENT) break;
    from = times.reduce((latest, at) => (at > latest ? at : latest), from);
  }
  return removed;
}

/** Answers with the times of the removed rows. */
function removeSome({ table, time, where = 'true' }: OldRows, condition: Sql, from: Date, until: Date) {
  const [of, at] = [raw(table), raw(time)];
  const removed: Statement<{ time: Date }[]> = rows(sql`
    delete from ${of} where ctid = any(array(
      select ctid from ${of} where ${condition} and ${raw(where)} and ${at} >= ${from} and ${at} < ${until}
      order by ${at} limit ${ROWS_A_STATEMENT} for update skip locked))
    returning ${at} as time`);
  return removed.as((some) => some.map(({ time: removedAt }) => removedAt));
}
