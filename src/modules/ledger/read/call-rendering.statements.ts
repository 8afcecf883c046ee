import { raw, type Sql, sql } from '../../../platform/database/sql.js';
import { sortValueOf } from './call-page.statements.js';
import type { PagePlan, PageWanted } from './page-plan.js';

/**
 * Whether the payload of row `p` is available: it was stored, and has not expired. Expired payloads may not be deleted
 * yet.
 */
const hasPayload = (projectId: string) => sql`
  (p.payload_bytes > 0 and p.ts >= coalesce((select payloads_before from ledger_expiry where project_id = ${projectId}),
                                            '-infinity'))`;

/** Whether the project's policy forbids showing stored payloads. */
const isOmitted = (projectId: string) =>
  sql`coalesce((select payloads = 'omit' from ledger_policy where project_id = ${projectId}), false)`;

const summary = (projectId: string) => sql`
  p.doc || case when not ${hasPayload(projectId)} then ',"payloadState":"missing"}'
                when ${isOmitted(projectId)} then ',"payloadState":"omitted"}'
                else ',"payloadState":"available"}' end`;

/** Renders rows as one text of JSON, and returns their number and the position of the last one. */
export function renderSummaries({ matching, page }: PagePlan, rows: Sql): Sql {
  return sql`
    select count(*)::integer as count, string_agg(${summary(matching.projectId)}, ',') as text,
           ${endOf(page)}
    from (${rows}) p`;
}

/**
 * The position of the last row. Its sort value is the maximum or minimum of the page, which is the cheapest aggregate.
 * The remaining columns are taken from the last element of an array.
 */
function endOf(page: PageWanted): Sql {
  const furthest = page.sortOrder === 'asc' ? raw('max') : raw('min');
  const isByTime = page.sortBy === 'timestamp';
  return sql`
    ${furthest}(${sortValueOf(page)}) as "lastValue",
    ${isByTime ? sql`${furthest}(p.ts)` : ofLast(raw('p.ts'))} as "lastTime", ${ofLast(raw('p.id'))} as "lastId"`;
}

const ofLast = (column: Sql) => sql`(array_agg(${column}))[count(*)]`;

/** Renders each row separately. */
export function renderEachSummary(projectId: string, sortValue: Sql, rows: Sql): Sql {
  return sql`
    select ${sortValue} as value, p.ts as time, p.id, ${summary(projectId)} as text,
           (count(*) over ())::integer as found
    from (${rows}) p`;
}

/**
 * Renders each row with its payload, until `maxBytes` are used up. The head and tail of the answer are not counted
 * here: `renderPage` drops calls that do not fit beside them. The first row is always returned, but without its payload
 * if it exceeds the limit on its own.
 */
export function renderFull(projectId: string, sortValue: Sql, rows: Sql, maxBytes: number | null): Sql {
  const fits = maxBytes === null ? sql`true` : sql`p.bytes_to_here <= ${maxBytes}`;
  return sql`
    with page as (
      select *, row_number() over () as place from (${rows}) r),
    sized as (
      select *, count(*) over () as found,
             sum(octet_length(p.doc)
                 + case when ${hasPayload(projectId)} and not ${isOmitted(projectId)} then p.payload_bytes else 0 end)
             over (order by place) as bytes_to_here
      from page p)
    select ${sortValue} as value, p.ts as time, p.id, p.found::integer as found, not ${fits} as "isTooLarge",
           p.doc || case when not ${hasPayload(projectId)} then ',"payloadState":"missing"}'
                         when ${isOmitted(projectId)} then ',"payloadState":"omitted"}'
                         when stored.payload is null then ',"payloadState":"unknown"}'
                         else ',"payloadState":"available","payload":' || stored.payload || '}' end as text
    from sized p
    left join ledger_payload stored
      on ${fits} and stored.project_id = ${projectId} and stored.n = p.n and stored.ts = p.ts
    where ${fits} or p.place = 1
    order by p.place`;
}
