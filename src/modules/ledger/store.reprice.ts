import { type Sql, sql } from '../../platform/database/sql.js';
import { ALL_CALLS } from './store.counts.js';

/** Where a repricing is, as it is kept. */
export interface RepricingRow {
  project_id: string;
  from_date: Date;
  to_date: Date;
  after_time: Date | null;
  after_number: string | null;
}

/** A call whose cost was reckoned. */
export interface ReckonedRow {
  n: string;
  ts: Date;
  cost: string;
  doc: string;
}

export interface Repriced {
  n: string;
  ts: Date;
  oldCost: string;
  cost: number;
  pricing: string;
  doc: string;
}

/** Where it is, while it goes on. */
export function placeOf(repricingId: string): Sql {
  return sql`
    select project_id, from_date, to_date, after_time, after_number from ledger_repricing
    where id = ${repricingId} and state = 'IN_PROGRESS'`;
}

export function failed(repricingId: string): Sql {
  return sql`
    update ledger_repricing set state = 'FAILED', finished_at = now() where id = ${repricingId} and state = 'IN_PROGRESS'`;
}

export function countChanged(repricingId: string, changed: number): Sql {
  return sql`update ledger_repricing set changed = changed + ${changed} where id = ${repricingId}`;
}

/** The next calls of the window whose writers did not say what they cost. */
export function nextReckoned(at: RepricingRow, most: number): Sql {
  const begin = at.after_time ?? at.from_date;
  return sql`
    select n, ts, cost::text as cost, doc from ledger_row
    where project_id = ${at.project_id} and ts >= ${begin}::timestamptz and ts < ${at.to_date}::timestamptz
      and pricing <> 'o' and (ts, n) > (${begin}::timestamptz, ${at.after_number ?? '0'}::bigint)
    order by ts, n limit ${most}`;
}

/**
 * Gives calls their new costs, adds the differences to the sums, and moves the repricing on: all of it, or nothing
 * where another process has moved it meanwhile. A call that has gone, or whose cost is no longer the old one, stays.
 */
export function applyStep(
  repricingId: string,
  at: RepricingRow,
  looked: readonly ReckonedRow[],
  changes: readonly Repriced[],
): Sql {
  const last = looked.at(-1);
  const column = <T>(read: (row: Repriced) => T) => changes.map(read);
  return sql`
    with moved as (
      update ledger_repricing
      set after_time = coalesce(${last?.ts ?? null}::timestamptz, after_time),
          after_number = coalesce(${last?.n ?? null}::bigint, after_number), looked_at = looked_at + ${looked.length},
          state = case when ${looked.length} = 0 then 'SUCCESS' else state end,
          finished_at = case when ${looked.length} = 0 then now() else finished_at end
      where id = ${repricingId} and state = 'IN_PROGRESS'
        and after_number is not distinct from ${at.after_number}::bigint
      returning id),
    given as (
      select * from unnest(
        ${column(({ n }) => n)}::bigint[], ${column(({ ts }) => ts)}::timestamptz[],
        ${column(({ oldCost }) => oldCost)}::numeric[], ${column(({ cost }) => cost)}::numeric[],
        ${column(({ pricing }) => pricing)}::"char"[], ${column(({ doc }) => doc)}::text[]
      ) as call (n, ts, old_cost, cost, pricing, doc)),
    repriced as (
      update ledger_row r set cost = given.cost, pricing = given.pricing, doc = given.doc
      from given
      where exists (select 1 from moved) and r.project_id = ${at.project_id} and r.n = given.n and r.ts = given.ts
        and r.cost = given.old_cost
      returning r.ts, r.dim, given.cost - given.old_cost as difference),
    sums as (
      insert into ledger_rollup (project_id, bucket, dim, grain, is_new, n, input_tokens, cached_tokens,
                                 completion_tokens, reasoning_tokens, latency_ms, cost)
      select ${at.project_id}, bucket, coalesce(dim, ${ALL_CALLS}), grain, true, 0, 0, 0, 0, 0, 0, sum(difference)
      from repriced, lateral (values ('h'::"char", date_trunc('hour', ts, 'UTC')), ('d', date_trunc('day', ts, 'UTC')))
                     as grains (grain, bucket)
      group by grouping sets ((grain, bucket, dim), (grain, bucket)))
    select exists (select 1 from moved) as moved, (select count(*) from repriced)::integer as changed`;
}
