import { raw, type Sql, sql } from '../database/sql.js';
import { rows, type Statement } from '../database/statement.js';
import type { Cutoffs, Sweep, SweepContext } from './retention-rule.js';

interface OldRows {
  table: string;
  /** The column whose age counts: first in an index, and behind the project in another where there is one. */
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

/** Few enough that nobody waits long for what one statement holds. */
const ROWS_A_STATEMENT = 1_000;

/** Removes old rows, the oldest first, one small statement after the other. */
export function oldRows(old: OldRows): Sweep {
  return {
    tables: [old.table],
    run: async (context) => {
      let removed = 0;
      for (const selection of selectionsOf(old, context.cutoffs)) removed += await remove(old, selection, context);
      return removed;
    },
  };
}

function selectionsOf({ project }: OldRows, { general, ofProjects }: Cutoffs): Selection[] {
  if (project === undefined) return [{ condition: raw('true'), until: general }];
  const column = raw(project);
  const others = sql`(${column} is null or ${column} <> all(${[...ofProjects.keys()]}::text[]))`;
  return [
    { condition: others, until: general },
    ...[...ofProjects].map(([projectId, until]) => ({ condition: sql`${column} = ${projectId}`, until })),
  ];
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
