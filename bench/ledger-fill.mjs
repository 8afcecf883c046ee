import pg from 'pg';
import { Partitions } from '../dist/src/modules/ledger/write/partitions.js';
import { toStoredCalls } from '../dist/src/modules/ledger/write/stored-call.js';
import { calls as statementsOfCalls } from './ledger-calls.mjs';
import { copiesFor, copyCalls, dropIndexes } from './ledger-copies.mjs';
import { adversary, DAY_MS, DAYS, dice, ODD_PROJECT, projectPicker, PROJECTS, traffic } from './ledger-data.mjs';

/** @import { GivenCall } from '../dist/src/modules/ledger/call.schema.js' */
/** @import { Pricer } from '../dist/src/modules/ledger/write/stored-call.js' */
/** @import { Statement } from '../dist/src/platform/database/statement.js' */
/** @import { Statements } from '../dist/src/platform/database/statements.js' */

const BATCH = 5_000;
const WRITERS = 3;
const ADVERSARIAL = 50_000;
export const projectName = (/** @type {number} */ place) => `p-bench${place}`;

/**
 * Writes calls with the service's own statement, in the order of time, and adds up the rollups. Of more than two
 * million calls, only a part is written, and that part is then copied.
 * @param {string} databaseUrl
 * @param {string} firstProject the id of the largest project
 * @param {number} wanted
 * @param {number} now
 * @param {number} [projects]
 */
export async function fill(databaseUrl, firstProject, wanted, now, projects = PROJECTS) {
  const copies = copiesFor(wanted);
  const rows = Math.round(wanted / copies);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: WRITERS });
  const days = Array.from({ length: DAYS + 2 }, (_, day) => new Date(now - day * DAY_MS));
  const statements = {
    ask: async (/** @type {Statement<unknown>} */ { sql }) => void (await pool.query(sql.toQuery())),
  };
  await new Partitions(/** @type {Statements} */ (/** @type {unknown} */ (statements))).ensure(days);
  const makeIndexes = copies > 1 ? await dropIndexes(pool) : async () => {};

  const pick = projectPicker(projects);
  const chance = dice(1);
  const nameOf = (/** @type {number} */ place) => (place === 0 ? firstProject : projectName(place));
  /** @type {Pricer} */
  const pricer = () => ({ amount: Number((chance.roll() ** 4 * 0.2).toFixed(7)), pricing: 't' });
  /** @type {Map<string, GivenCall[]>} */
  const batches = new Map();
  /** @type {Set<Promise<unknown>>} */
  const underWay = new Set();
  const add = async (/** @type {string} */ project, /** @type {GivenCall | undefined} */ call) => {
    const batch = batches.get(project) ?? [];
    batches.set(project, batch);
    if (call) batch.push(call);
    if (batch.length === 0 || (call && batch.length < BATCH)) return;
    batches.set(project, []);
    if (underWay.size === WRITERS) await Promise.race(underWay);
    const stored = await toStoredCalls(batch, pricer);
    /** @type {Promise<unknown>} */
    const writing = pool
      .query(statementsOfCalls.add(project, stored).sql.toQuery())
      .then(() => underWay.delete(writing));
    underWay.add(writing);
  };

  const calls = Array.from({ length: projects }, (_, place) => traffic(place, now));
  const oddCalls = adversary(now);
  const odd = Math.min(ADVERSARIAL, rows / 10);
  for (let made = 0; made < rows; made += 1) {
    const place = pick(chance.roll());
    await add(nameOf(place), calls[place]?.(made / rows));
    if (made % Math.round(rows / odd) === 0) await add(ODD_PROJECT, oddCalls(made / rows));
    if (made % 500_000 === 0 && made > 0) console.log(`  ${made.toLocaleString('en')} calls`);
  }
  for (const project of batches.keys()) await add(project, undefined);
  await Promise.all(underWay);
  for (let taken = 1; taken > 0;) {
    const { sql, read } = statementsOfCalls.compactRollup(20_000);
    const { rows: compacted } = /** @type {pg.QueryResult<object>} */ (await pool.query(sql.toQuery()));
    taken = read(compacted);
  }
  if (copies > 1) await copyCalls(pool, copies);
  await makeIndexes();
  await pool.query('vacuum analyze');
  await pool.end();
}

/**
 * Copies the calls of one project into a table as a first design would have it.
 * @param {string} databaseUrl
 * @param {string} projectId
 */
export async function copyToNaive(databaseUrl, projectId) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const texts = [
    'model',
    'agentName',
    'provider',
    'environment',
    'status',
    'sessionId',
    'callId',
    'traceId',
    'eventId',
  ];
  const labels = ['source', 'sourceSubtype', 'sourceLabel', 'sourceSubtypeLabel', 'sourceId', 'channel', 'channelType'];
  const numbers = ['inputTokens', 'cachedTokens', 'completionTokens', 'reasoningTokens', 'outputTokens', 'totalTokens'];
  const more = ['latencyMs', 'timeToFirstTokenMs', 'statusCode'];
  const column = (/** @type {string} */ name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const typed = [
    ...[...texts, ...labels].map((name) => [name, 'text']),
    ...[...numbers, ...more].map((name) => [name, 'integer']),
    ['streamingUsed', 'boolean'],
    ['cost', 'float8'],
  ];
  const select = typed.map(([name = '']) => `call."${name}" as ${column(name)}`).join(', ');
  const members = typed.map(([name, type]) => `"${name}" ${type}`).join(', ');
  await client.query('drop table if exists naive_call cascade');
  await client.query(
    `create table naive_call as select r.id, r.project_id, r.ts, ${select}
     from ledger_row r, json_to_record((r.doc || '}')::json) as call (${members})
     where r.project_id = '${projectId}'`,
  );
  await client.query('alter table naive_call add primary key (id)');
  await client.query('create index on naive_call (project_id, ts, id)');
  await client.query('vacuum analyze naive_call');
  await client.end();
}
