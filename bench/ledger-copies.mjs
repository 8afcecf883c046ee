import { ODD_PROJECT, STEP_MS } from './ledger-data.mjs';

/** @import pg from 'pg' */

/** More calls than these are not written one by one, but copied from the first ones in the database. */
const MOST_WRITTEN = 2_000_000;

/**
 * Returns how many times each written call is there in the end, itself included. The times of the copies fit between
 * the times of the written calls.
 * @param {number} rows
 */
export function copiesFor(rows) {
  return Math.min(STEP_MS, Math.ceil(rows / MOST_WRITTEN));
}

/**
 * Drops the indexes that no write needs, because they are built faster than they are kept up to date, and returns what
 * makes them again.
 * @param {pg.Pool} pool
 * @returns {Promise<() => Promise<void>>}
 */
export async function dropIndexes(pool) {
  const found = await pool.query(
    `select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index where indrelid = 'ledger_row'::regclass`,
  );
  const indexes = /** @type {{ name: string, definition: string }[]} */ (found.rows);
  for (const { name } of indexes) await pool.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of indexes) await pool.query(definition);
  };
}

/**
 * Multiplies the calls of each project. A copy is a call of its own: it has another number, id, `callId`, session and
 * trace, and is some milliseconds later, but in the same hour. All else is that of the written call, so the sums of the
 * rollup, which must be compacted, are multiplied too.
 * @param {pg.Pool} pool
 * @param {number} copies
 */
export async function copyCalls(pool, copies) {
  const { rows } = /** @type {pg.QueryResult<{ last: string }>} */ (
    await pool.query('select last_value as last from ledger_call_number')
  );
  const last = Number(rows[0]?.last);
  await Promise.all([
    ...(await partitions(pool)).map(async (name) => pool.query(await copyRows(pool, name, copies, last))),
    pool.query(`
      insert into ledger_key (project_id, call_id, ts)
      select project_id, ${replaced('call_id', CALL)}, ${LATER} from ledger_key, ${numbers(copies)}
      where project_id <> '${ODD_PROJECT}'`),
    pool.query(`
      update ledger_rollup set ${SUMS.map((column) => `${column} = ${column} * ${copies}`).join(', ')}
      where project_id <> '${ODD_PROJECT}'`),
  ]);
  await pool.query(`select setval('ledger_call_number', ${last} * ${copies})`);
}

/** @typedef {[from: string, to: string]} Replacement a text and the expression that it becomes */

const SUMS = ['n', 'input_tokens', 'cached_tokens', 'completion_tokens', 'reasoning_tokens', 'latency_ms', 'cost'];
const LATER = `ts + copy * interval '1 ms'`;
// The written calls have their names from `traffic`, and a zero at the end of their times.
/** @type {Replacement} */
const CALL = [`'call-'`, `'call' || copy || '-'`];
/** @type {Replacement} */
const SESSION = [`'"s-'`, `'"s' || copy || '-'`];
/** @type {Replacement} */
const TRACE = [`'"t-'`, `'"t' || copy || '-'`];
/** @type {Replacement} */
const TIME = [`'0Z'`, `copy || 'Z'`];

/**
 * @param {pg.Pool} pool
 * @param {string} partition
 * @param {number} copies
 * @param {number} last the last number of the written calls
 */
async function copyRows(pool, partition, copies, last) {
  const number = `(n + copy * ${last})`;
  /** @type {Record<string, string>} */
  const changed = {
    ts: LATER,
    n: number,
    session_id: `'s' || copy || substr(session_id, 2)`,
    id: `'s' || copy || substr(${replaced('left(id, -length(n::text))', CALL, TIME)}, 2) || ${number}`,
    doc: replaced('doc', CALL, SESSION, TRACE, TIME, [`':' || n || '"'`, `':' || ${number} || '"'`]),
  };
  const { rows } = await pool.query(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [partition],
  );
  const columns = /** @type {{ name: string }[]} */ (rows).map(({ name }) => name);
  return `
    insert into ${partition} (${columns.join(', ')})
    select ${columns.map((name) => changed[name] ?? name).join(', ')} from ${partition}, ${numbers(copies)}
    where project_id <> '${ODD_PROJECT}'`;
}

/** @param {pg.Pool} pool */
async function partitions(pool) {
  const { rows } = await pool.query(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ledger_row'::regclass`,
  );
  return /** @type {{ name: string }[]} */ (rows).map(({ name }) => name);
}

/** @param {number} copies */
function numbers(copies) {
  return `generate_series(1, ${copies - 1}) as copy`;
}

/**
 * @param {string} text
 * @param {Replacement[]} replacements
 */
function replaced(text, ...replacements) {
  return replacements.reduce((inner, [from, to]) => `replace(${inner}, ${from}, ${to})`, text);
}
