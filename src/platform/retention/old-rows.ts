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

/** Rows that are due together. The condition may use `$1`. */
interface Selection {
  condition: string;
  value: unknown;
  until: Date;
}

/** Few enough that nobody waits long for what one statement holds. */
const ROWS_A_STATEMENT = 1_000;

/** Removes old rows, the oldest first, one small statement after the other. */
export function oldRows(rows: OldRows): Sweep {
  return {
    tables: [rows.table],
    run: async (context) => {
      let removed = 0;
      for (const selection of selectionsOf(rows, context.cutoffs)) removed += await remove(rows, selection, context);
      return removed;
    },
  };
}

function selectionsOf({ project }: OldRows, { general, ofProjects }: Cutoffs): Selection[] {
  if (project === undefined) return [{ condition: '$1::text is null', value: null, until: general }];
  const others = `(${project} is null or ${project} <> all($1::text[]))`;
  return [
    { condition: others, value: [...ofProjects.keys()], until: general },
    ...[...ofProjects].map(([projectId, until]) => ({ condition: `${project} = $1`, value: projectId, until })),
  ];
}

async function remove(
  { table, time, where = 'true' }: OldRows,
  { condition, value, until }: Selection,
  { statements, hasTime }: SweepContext,
): Promise<number> {
  let removed = 0;
  // Where the last statement ended, so that what others keep from before is passed over once.
  let from = new Date(0);
  while (hasTime()) {
    const rows = await statements.run<{ time: Date }>(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${condition} and ${where} and ${time} >= $2 and ${time} < $3
         order by ${time} limit $4 for update skip locked))
       returning ${time} as time`,
      [value, from, until, ROWS_A_STATEMENT],
    );
    removed += rows.length;
    if (rows.length < ROWS_A_STATEMENT) break;
    from = rows.reduce((latest, { time: at }) => (at > latest ? at : latest), from);
  }
  return removed;
}
