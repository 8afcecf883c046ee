import type { Span } from '../../../kernel/spans.js';
import { join, type Sql, sql } from '../../../platform/database/sql.js';
import { ALL_CALLS, GRAIN } from '../rollup/rollup.statements.js';
import { hourPartsOf, type Part, partsOf } from '../rollup/time-parts.js';
import {
  DIM_COLUMNS,
  type IntervalsWanted,
  isTime,
  summedByInterval,
  summedByKey,
  SUMS,
  timeKey,
} from './call-groups.statements.js';
import { hasValues } from './call-matching.statements.js';
import type { DimFilter } from './calls-wanted.js';
import type { GroupOfAll } from './installation-sums.admin.schema.js';

/** The calls of several projects that a request asks for. */
export interface CallsOfProjects {
  /** Null for all projects. */
  projectIds: readonly string[] | null;
  filter: DimFilter | null;
}

/** The same, in whole hours. */
export interface SummedCalls extends CallsOfProjects, Span {}

/** Selects the projects as `p`. */
export function selectedProjects(projectIds: readonly string[] | null): Sql {
  return projectIds ? sql`unnest(${projectIds}::text[]) as p (id)` : sql`project p`;
}

/**
 * Sums the matching calls of several projects by group, from the rollup alone. It is read project by project, because its
 * index begins with the project.
 */
export function sumsOfAll(wanted: SummedCalls, groupBy: GroupOfAll, limit: number): Sql {
  const parts = groupBy === 'hour' ? hourPartsOf(wanted) : partsOf(wanted);
  const sums = ofParts(wanted, parts, sql`${keyOf(groupBy)} as key`, combinationsFor(wanted, groupBy));
  return summedByKey(sums, isTime(groupBy), limit);
}

/** Sums the matching calls of some groups of several projects by hour or day. */
export function sumsOfAllByInterval(wanted: SummedCalls, { groupBy, interval, groups }: IntervalsWanted): Sql {
  const parts = interval === 'hour' ? hourPartsOf(wanted) : partsOf(wanted);
  const columns = sql`${DIM_COLUMNS[groupBy]} as of_group, d.status, ${timeKey(interval, sql`s.bucket`)} as time`;
  return summedByInterval(ofParts(wanted, parts, columns, combinationsFor(wanted, groupBy)), groups);
}

/** Selects the sums of the whole hours and days of several projects, with some columns more. */
function ofParts({ projectIds }: SummedCalls, parts: readonly Part[], columns: Sql, combinations: Sql): Sql {
  const sums = parts.flatMap(({ countedFrom: grain, from, to }) =>
    grain === 'rows'
      ? []
      : [
          sql`
      select ${columns}, ${SUMS} from ${selectedProjects(projectIds)}
      cross join lateral (
        select * from ledger_rollup where project_id = p.id and grain = ${GRAIN[grain]}
          and bucket >= ${from}::timestamptz and bucket < ${to}::timestamptz) s
      ${combinations}`,
        ],
  );
  return join(sums, ' union all ');
}

/** Without a filter, hours, days and projects are summed from the rows of all calls. */
function combinationsFor({ filter }: SummedCalls, groupBy: GroupOfAll): Sql {
  if (!filter && !(groupBy in DIM_COLUMNS)) return sql`where s.dim = ${ALL_CALLS}`;
  const values = sql`join ledger_dim d on d.project_id = p.id and d.dim = s.dim`;
  return filter ? sql`${values} where ${hasValues(filter)}` : values;
}

function keyOf(groupBy: GroupOfAll): Sql {
  if (groupBy === 'project') return sql`p.id`;
  return isTime(groupBy) ? timeKey(groupBy, sql`s.bucket`) : sql`${DIM_COLUMNS[groupBy]}`;
}
