import { raw, sql } from '../../../platform/database/sql.js';
import { rows, type Statement, theRow, write } from '../../../platform/database/statement.js';
import { takeMonthFromSums } from '../sums/call-sums.statements.js';

/** The tables that have a partition for each month. */
export const PARTITIONED = ['ledger_row', 'ledger_payload'] as const;
export type Partitioned = (typeof PARTITIONED)[number];

/** Makes the partition apart and then attaches it: neither readers nor writers of other months wait. */
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

/** The months of the table that have ended by then. */
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
 * Takes the calls of a month away whole. Nobody reads or writes rows meanwhile; what the month had added to the sums is
 * added once more with the other sign, so that it does not matter whether they are just being compacted.
 */
export function dropCallsOfMonth(month: string): Statement<void> {
  const partition = raw(partitionName('ledger_row', month));
  const within = (column: string) => raw(`${column} >= '${month}-01Z' and ${column} < '${nextMonth(month)}-01Z'`);
  return write(sql`
    do $$ begin
      alter table ledger_row detach partition ${partition};
      ${takeMonthFromSums(within('bucket'))};
      delete from ledger_key where ${within('ts')};
      drop table ${partition};
    end $$`);
}

export function dropPayloadsOfMonth(month: string): Statement<void> {
  return write(raw(`drop table ${partitionName('ledger_payload', month)}`));
}

function partitionName(table: Partitioned, month: string): string {
  return `${table}_${month.replace('-', '_')}`;
}

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
}
