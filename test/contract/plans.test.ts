import pg from 'pg';
import { createDatabase } from '../support/database.js';
import { statementExamples } from '../support/statement-examples.js';

interface Node {
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
}

const client = new pg.Client({ connectionString: await createDatabase() });
await client.connect();
// The tables are empty, as partial indexes may be when they are analyzed, but they will not stay so.
await client.query('set enable_seqscan = off');
afterAll(() => client.end());

const { rows } = await client.query<{ name: string; condition: string }>(
  `select relname as name, pg_get_expr(indpred, indrelid) as condition
   from pg_index join pg_class on pg_class.oid = indexrelid where indpred is not null`,
);
const partial = new Map(rows.map(({ name, condition }) => [name, condition]));

async function scansOf(text: string): Promise<Node[]> {
  const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (generic_plan, format json) ${text}`,
  );
  const withParts = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(withParts)];
  return withParts(plans[0]!['QUERY PLAN'][0].Plan).filter(({ 'Index Name': name }) => partial.has(name ?? ''));
}

const namesOf = (scans: readonly Node[]) => scans.map((scan) => scan['Index Name']!);
const readWhole = async (text: string) => namesOf((await scansOf(text)).filter((scan) => !scan['Index Cond']));

/** Statements that PostgreSQL does not explain, about tables that they make themselves, or with names of no table. */
const UNEXPLAINED = /^(makeMonth|countCallsOfMonth|drop(Calls|Payloads)OfMonth|releaseSelected)\b|\(with two writes\)/;

/** Statements that may read a whole partial index, and why. */
const ABOUT_ALL: Record<string, string> = {
  'DockJobRepository.countByState': 'It counts all dock jobs in progress.',
  'CallRepository.compactRollup': 'It compacts all new sums.',
  'ModelDeploymentRepository.filesInUse': 'It lists the files of all deployed models.',
  'ModelReplicaRepository.countByState': 'It counts the replicas of all deployed models.',
  lanesWithQueue: 'Of each lane it asks for a due job, which PostgreSQL may answer from a table of all of them.',
  look: 'It asks whether there is any job in the queue of a lane.',
};

const examples = [...(await statementExamples()).values()]
  .flatMap((of) => Object.entries(of))
  .filter(([title]) => !UNEXPLAINED.test(title))
  .map(([title, statement]) => [title, statement.sql.toQuery().text] as const);

it.each(examples)('reads no whole partial index in order to find some of its rows: %s', async (title, text) => {
  const found = await readWhole(text);
  if (title in ABOUT_ALL) expect(found).not.toEqual([]);
  else expect(found).toEqual([]);
});

it('knows each statement that may', () => {
  const titles = examples.map(([title]) => title);
  expect(Object.keys(ABOUT_ALL).filter((title) => !titles.includes(title))).toEqual([]);
});

it('sees a statement that does', async () => {
  expect(await readWhole('select from run where id = $1 and finished_at is null')).toEqual(['run_unfinished']);
  expect(await readWhole('select from run where session_id = $1 and finished_at is null')).toEqual([]);
});

it('has a statement that reads each index whose condition is spelled for it', async () => {
  const read = new Set((await Promise.all(examples.map(([, text]) => scansOf(text)))).flatMap(namesOf));
  const spelled = [...partial].filter(([, condition]) => condition.endsWith(' IS TRUE)')).map(([name]) => name);
  expect(spelled).toEqual(['session_open']);
  expect(spelled.filter((name) => !read.has(name))).toEqual([]);
});
