import pg from 'pg';
import { StartError } from '../start-error.mjs';

/** The column by whose value a row belongs to a shard. */
const COLUMN = 'project_id';

/** The tables that are distributed, colocated with the first one: the shards of a project are on one node. */
export const TABLES = [
  'ledger_row',
  'ledger_key',
  'ledger_payload',
  'ledger_dim',
  'ledger_rollup',
  'ledger_expiry',
  'ledger_policy',
];

/** Moving the rows of a table takes as long as it takes, whatever limits the role has, on the workers too. */
const UNLIMITED = [
  "citus.propagate_set_commands = 'local'",
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
];

/** Citus makes a sequence on every node if a column has it as its default, and gives each node other numbers. */
const NUMBERED = 'ledger_row';

/**
 * Distributes a table unless it is distributed already, and returns what was done.
 * @param {import('pg').Client} client
 * @param {string} table
 * @param {number} shards
 */
export async function distributeTable(client, table, shards) {
  const column = await columnOf(client, table);
  if (column === COLUMN) return 'is distributed already';
  if (column !== null)
    throw new StartError(`The table ${table} is distributed by ${column}, and Slipway needs ${COLUMN}.`);
  const began = Date.now();
  const rows = await inTransaction(client, async () => {
    await dropForeignKeys(client, table);
    if (table === NUMBERED)
      await client.query(`alter table ${table} alter n set default nextval('ledger_call_number')`);
    const { rowCount } = await client.query(`select from ${table} limit 1`);
    await client.query(...creationOf(table, shards));
    if (rowCount) await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table]);
    return rowCount;
  });
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  return `distributed${rows ? ' with its rows' : ', without rows'} in ${seconds} s`;
}

/**
 * Returns the column by which the table is distributed, or null.
 * @param {import('pg').Client} client
 * @param {string} table
 */
async function columnOf(client, table) {
  const { rows } = await client.query(
    `select coalesce(column_to_column_name(logicalrelid, partkey), 'no column') as column
     from pg_dist_partition where logicalrelid = $1::regclass`,
    [table],
  );
  return /** @type {{ column: string }[]} */ (rows)[0]?.column ?? null;
}

/**
 * A distributed table cannot refer to one that only the coordinator has.
 * @param {import('pg').Client} client
 * @param {string} table
 */
async function dropForeignKeys(client, table) {
  const { rows } = await client.query(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'f'`,
    [table],
  );
  for (const { name } of /** @type {{ name: string }[]} */ (rows))
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`);
}

/**
 * @param {string} table
 * @param {number} shards
 * @returns {[text: string, values: unknown[]]}
 */
function creationOf(table, shards) {
  const [first] = TABLES;
  if (table === first)
    return [
      `select create_distributed_table($1::regclass, $2, colocate_with => 'none', shard_count => $3)`,
      [table, COLUMN, shards],
    ];
  return ['select create_distributed_table($1::regclass, $2, colocate_with => $3)', [table, COLUMN, first]];
}

/**
 * @template Result
 * @param {import('pg').Client} client
 * @param {() => Promise<Result>} work
 */
async function inTransaction(client, work) {
  await client.query('begin');
  try {
    for (const setting of UNLIMITED) await client.query(`set local ${setting}`);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
