import { raw, sql } from '../../../platform/database/sql.js';
import { rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { subtractMonthFromRollup } from '../rollup/rollup.statements.js';

/** The tables with one partition for each month. */
export const PARTITIONED = ['ledger_row', 'ledger_payload'] as const;
export type Partitioned = (typeof PARTITIONED)[number];

/** Creates the partition as a table and then attaches it, so that readers and writers of other months need not wait. */
export function makeMonth(table: Partitioned, month: string): Statement<void> {
  const name = partitionName(table, month);
  return write(
    raw(`
      do $$ begin
        perform pg_advisory_xact_lock(hashtext('${table}'));
        if to_regclass('${name}') is null then
          create table ${name} (like ${table} including all);
          alter table ${table} attach partition ${name} for values from ('${month}-01Z') to ('${nextMonth(month)}-01Z');
        end if;
      end $$`),
  );
}

/** Returns the months with a partition that ended before the time. */
export function monthsBefore(table: Partitioned, time: Date): Statement<string[]> {
  return rows<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`,
  ).as((partitions) =>
    partitions
      .map(({ name }) => name.slice(table.length + 1).replace('_', '-'))
      .filter((month) => Date.parse(`${nextMonth(month)}-01`) <= time.getTime()),
  );
}

export function countCallsOfMonth(month: string): Statement<number> {
  const partition = raw(partitionName('ledger_row', month));
  return theRow<{ count: number }>(sql`select count(*)::integer as count from ${partition}`).as(({ count }) => count);
}

/**
 * Drops the calls of a month with their keys, and appends their negated sums to the rollup. Detaching the partition
 * locks the table, so no transaction reads or writes calls in the meantime. Nothing happens if another process was
 * faster.
 */
export function dropCallsOfMonth(month: string): Statement<void> {
  const partition = raw(partitionName('ledger_row', month));
  const within = (column: string) => raw(`${column} >= '${month}-01Z' and ${column} < '${nextMonth(month)}-01Z'`);
  return write(sql`
    do $$ begin
      perform pg_advisory_xact_lock(hashtext('ledger_row'));
      if to_regclass('${partition}') is null then return; end if;
      alter table ledger_row detach partition ${partition};
      ${subtractMonthFromRollup(within('bucket'))};
      delete from ledger_key where ${within('ts')};
      drop table ${partition};
    end $$`);
}

export function dropPayloadsOfMonth(month: string): Statement<void> {
  return write(raw(`drop table if exists ${partitionName('ledger_payload', month)}`));
}

function partitionName(table: Partitioned, month: string): string {
  return `${table}_${month.replace('-', '_')}`;
}

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
}
