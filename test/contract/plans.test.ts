import pg from 'pg';
import { createDatabase } from '../support/database.js';
import { statementExamples } from '../support/statement-examples.js';

interface Node {
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Node[];
}

const client = new pg.Client({ connectionString: await createDatabase() });
await client.connect();
await client.query('set enable_seqscan = off');
afterAll(() => client.end());

const { rows } = await client.query<{ name: string }>(
  `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid where indpred is not null`,
);
const partial = new Set(rows.map(({ name }) => name));

/** Lists the partial indexes of which all entries are read in order to find rows by something else. */
async function readWhole(text: string): Promise<string[]> {
  const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (generic_plan, format json) ${text}`,
  );
  const found: string[] = [];
  const visit = (node: Node): void => {
    const name = node['Index Name'] ?? '';
    if (partial.has(name) && !node['Index Cond'] && /\(id = /.test(node.Filter ?? '')) found.push(name);
    node.Plans?.forEach(visit);
  };
  visit(plans[0]!['QUERY PLAN'][0].Plan);
  return found;
}

/** Statements that PostgreSQL does not explain, or that are about tables which they make themselves. */
const UNEXPLAINED = /^(makeMonth|countCallsOfMonth|drop(Calls|Payloads)OfMonth|releaseSelected)\b|\(with two writes\)/;

/** Dock jobs in progress are so few that each of these statements may read them all. */
const OF_FEW_ROWS = ['dock_job_running'];

const examples = [...(await statementExamples()).values()].flatMap((of) => Object.entries(of));

it.each(examples.filter(([title]) => !UNEXPLAINED.test(title)))(
  'reads no whole partial index in order to find a row by its id: %s',
  async (_, statement) => {
    const found = await readWhole(statement.sql.toQuery().text);
    expect(found.filter((name) => !OF_FEW_ROWS.includes(name))).toEqual([]);
  },
);

it('sees a statement that does', async () => {
  await client.query('create table place (id text primary key, size integer, ended_at timestamptz)');
  await client.query(`insert into place select size, size, now() from generate_series(1, 1000) as size`);
  await client.query('create index place_open on place (size) where ended_at is null');
  await client.query('analyze place');
  partial.add('place_open');
  expect(await readWhole('select size from place where id = $1 and ended_at is null')).toEqual(['place_open']);
  expect(await readWhole('select size from place where id = $1')).toEqual([]);
});
