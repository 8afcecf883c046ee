import { setTimeout as wait } from 'node:timers/promises';
import { writingTransactions } from './message-recording.mjs';

/**
 * @import pg from 'pg'
 * @import { StatementTap } from './statements.mjs'
 */

/**
 * The writes of a table. Partitions are counted with their table.
 * @typedef {{ name: string, added: number, changed: number, hot: number, deleted: number, entries: number }} Writes
 */

/**
 * All that a message costs the database, on average.
 * @typedef {object} Cost
 * @property {number} statements
 * @property {number} commits transactions that write
 * @property {number} rows
 * @property {number} entries
 * @property {number} logBytes
 * @property {Writes[]} tables
 */

/** A connection that has become idle adds its numbers to the statistics within ten seconds. */
const STATISTICS_MS = 11_000;

/** The rows so far. A change that is HOT writes no index entry. */
const WRITES = `
  select coalesce(pg_partition_root(relid), relid)::regclass::text as name, sum(n_tup_ins)::float8 as added,
    sum(n_tup_upd)::float8 as changed, sum(n_tup_hot_upd)::float8 as hot, sum(n_tup_del)::float8 as deleted
  from pg_stat_user_tables group by 1 order by 1`;

/** The entries of indexes between two positions of the log. An entry that splits a page is one of them. */
const ENTRIES = `
  select coalesce(pg_partition_root(indrelid), indrelid)::regclass::text as name, count(*)::float8 as entries
  from pg_get_wal_block_info($1, $2, false) as written
  join pg_class on written.relfilenode = pg_relation_filenode(oid)
  join pg_index on indexrelid = oid
  where block_id = 0 and resource_manager = 'Btree' and record_type ~ '^(INSERT_LEAF|INSERT_POST|SPLIT)'
  group by 1`;

/**
 * Measures the cost of messages, with all that the processes do beside them.
 * @param {pg.Client} database
 * @param {StatementTap} tap between the measured processes and the database
 * @param {number} messages
 * @param {() => Promise<unknown>} send sends as many messages and waits until all are called back
 * @returns {Promise<Cost>}
 */
export async function costOfMessages(database, tap, messages, send) {
  await wait(STATISTICS_MS);
  const [before, begin] = [await writesOf(database), await positionOf(database)];
  tap.statements = [];
  await send();
  const [sent, end] = [tap.statements, await positionOf(database)];
  await wait(STATISTICS_MS);
  const tables = differences(before, await writesOf(database), await entriesOf(database, begin, end), messages);
  return {
    statements: sent.filter(({ text }) => !/^(begin|commit|rollback)/.test(text)).length / messages,
    commits: writingTransactions(sent).length / messages,
    rows: sum(tables.map(({ added, changed, deleted }) => added + changed + deleted)),
    entries: sum(tables.map(({ entries }) => entries)),
    logBytes: (await bytesBetween(database, begin, end)) / messages,
    tables,
  };
}

/** Printed with a table in which index entries are missing. */
export const WITHOUT_ENTRIES =
  'Index entries are not measured (–): they are counted in the log, which only a superuser may read. The PostgreSQL of ' +
  'the benchmark has no such role. --database postgresql://… with the URL of a superuser measures them.';

/**
 * Returns whether the role may read the log.
 * @param {pg.Client} database
 */
export async function canCountEntries(database) {
  const { rowCount } = await database.query('select from pg_roles where rolname = current_user and rolsuper');
  return rowCount === 1;
}

/** @param {Cost} cost */
export function cellsOf({ statements, commits, rows, entries, logBytes }) {
  return [...[statements, commits, rows, entries].map(asText), (logBytes / 1024).toFixed(1)];
}

/** The names of the columns that `cellsOf` fills. */
export const COSTS = ['statements', 'commits that write', 'rows', 'index entries', 'KiB of log'];

/** @param {Writes[]} tables */
export function tableRows(tables) {
  const rows = tables.map(({ name, added, changed, hot, deleted, entries }) => [
    name,
    ...[added, changed, hot, deleted, entries].map(asText),
  ]);
  return [['table', 'added', 'changed', 'of them HOT', 'deleted', 'index entries'], ...rows];
}

/**
 * @param {pg.Client} database
 * @returns {Promise<Omit<Writes, 'entries'>[]>}
 */
async function writesOf(database) {
  /** @type {pg.QueryResult<Omit<Writes, 'entries'>>} */
  const { rows } = await database.query(WRITES);
  return rows;
}

/**
 * @param {pg.Client} database
 * @returns {Promise<string>} the end of the log, behind which the next record is written
 */
async function positionOf(database) {
  const { rows } = await database.query('select pg_current_wal_insert_lsn()::text as at');
  return rows.map((/** @type {{ at: string }} */ { at }) => at)[0] ?? '';
}

/**
 * @param {pg.Client} database
 * @param {string} begin
 * @param {string} end
 */
async function bytesBetween(database, begin, end) {
  const { rows } = await database.query('select pg_wal_lsn_diff($2, $1)::float8 as bytes', [begin, end]);
  return rows.map((/** @type {{ bytes: number }} */ { bytes }) => bytes)[0] ?? NaN;
}

/**
 * @param {pg.Client} database
 * @param {string} begin
 * @param {string} end
 * @returns {Promise<Map<string, number> | undefined>}
 */
async function entriesOf(database, begin, end) {
  if (!(await canCountEntries(database))) return undefined;
  await database.query('create extension if not exists pg_walinspect');
  const { rows } = await database.query(ENTRIES, [begin, end]);
  return new Map(rows.map((/** @type {Pick<Writes, 'name' | 'entries'>} */ row) => [row.name, row.entries]));
}

/**
 * Returns the writes of each table for a message, without tables that nearly no message writes.
 * @param {Omit<Writes, 'entries'>[]} before
 * @param {Omit<Writes, 'entries'>[]} after
 * @param {Map<string, number> | undefined} entries
 * @param {number} messages
 * @returns {Writes[]}
 */
function differences(before, after, entries, messages) {
  const known = new Map(before.map((one) => [one.name, one]));
  const columns = /** @type {const} */ (['added', 'changed', 'hot', 'deleted']);
  return after
    .map((one) => {
      const earlier = known.get(one.name);
      const each = { ...one, entries: entries ? (entries.get(one.name) ?? 0) / messages : NaN };
      for (const column of columns) each[column] = (one[column] - (earlier?.[column] ?? 0)) / messages;
      return each;
    })
    .filter(({ added, changed, deleted }) => added + changed + deleted >= 0.05);
}

/** @param {number} value NaN if it could not be counted */
function asText(value) {
  return Number.isNaN(value) ? '–' : value.toFixed(1);
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((all, value) => all + value, 0);
}
