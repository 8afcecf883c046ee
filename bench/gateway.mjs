import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { median, percentiles, PERCENTILES, quantile, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */
/** @import { Order, Waits } from './gateway-load.mjs' */

const CALLERS = 50;
const ROUNDS = 5;
const ROUND_MS = 4_000;
const TARGET_MS = 3;

/**
 * Compares a chat completion through Slipway, with its row in the ledger, with the same call straight to the provider.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const double = await environment.startProgram(inProject('bench', 'gateway-double.mjs'));
  const service = await environment.startService({
    VENDOR1_BASE_URL: double.url,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
  const administration = new Administration(service.url, environment.adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['RUN_API', 'CONNECTIONS_MANAGE', 'analytics:read']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  const model = await connect(service.url, key);
  const generator = await environment.startProgram(inProject('bench', 'gateway-load.mjs'));

  const straight = { url: `${double.url}/v1/chat/completions`, key: 'none', model: 'gpt-4o' };
  const through = { url: `${service.url}/api/public/llm/v1/chat/completions`, key, model };
  const load = async (/** @type {typeof straight} */ where, /** @type {boolean} */ stream, milliseconds = ROUND_MS) => {
    /** @type {Order} */
    const order = { ...where, stream, callers: CALLERS, milliseconds };
    const waits = /** @type {Waits} */ (await generator.ask(order));
    if (waits.failed > 0) throw new Error(`${waits.failed} calls failed`);
    return waits;
  };
  console.log(
    `${CALLERS} callers of a model that thinks for 400 ms, ${ROUNDS} rounds of ${ROUND_MS / 1000} s, taking turns`,
  );
  for (const stream of [false, true]) await load(through, stream);
  let calls = 0;
  const rows = [['', 'straight, ms', 'through Slipway, ms', 'added, median', 'added, p95', 'computing, ms']];
  const waits = [['a call, ms', ...PERCENTILES]];
  const added = [];
  for (const [title, stream, part] of /** @type {const} */ ([
    ['whole answer', false, 'last'],
    ['stream, first byte', true, 'first'],
  ])) {
    /** @type {Record<'straight' | 'through', number[]>} */
    const all = { straight: [], through: [] };
    /** @type {Record<'straight' | 'through' | 'late' | 'computing', number[]>} */
    const found = { straight: [], through: [], late: [], computing: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const direct = (await load(straight, stream))[part];
      const before = service.cpuSeconds();
      const ours = (await load(through, stream))[part];
      found.computing.push(((service.cpuSeconds() - before) * 1000) / ours.length);
      calls += ours.length;
      all.straight = all.straight.concat(direct);
      all.through = all.through.concat(ours);
      found.straight.push(median(direct));
      found.through.push(median(ours));
      found.late.push(quantile(ours, 0.95) - quantile(direct, 0.95));
    }
    const more = found.through.map((value, round) => value - (found.straight[round] ?? NaN));
    added.push(median(more));
    const shown = [found.straight, found.through, more, found.late, found.computing];
    rows.push([title, ...shown.map((values) => spread(values, 1))]);
    waits.push([`${title}, straight`, ...percentiles(all.straight)]);
    waits.push([`${title}, through Slipway`, ...percentiles(all.through)]);
  }
  console.log(`${table(rows)}\n${table(waits)}`);
  const isMet = added.every((value) => value <= TARGET_MS);
  console.log(`Target: ${TARGET_MS} ms added, in the median. ${isMet ? 'Met.' : 'Missed.'}`);
  return everyCallIsKept(environment, calls);
}

/**
 * @param {string} url
 * @param {string} key
 */
async function connect(url, key) {
  const response = await fetch(`${url}/api/public/connections`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      provider: 'Vendor1',
      connectionName: 'Benchmark',
      model: 'gpt-4o',
      fields: { API_KEY: 'sk-of-nobody-0123456789' },
    }),
  });
  const { connectionId } = /** @type {{ connectionId: string }} */ (await response.json());
  return connectionId;
}

/**
 * @param {Environment} environment
 * @param {number} calls
 */
async function everyCallIsKept({ databaseUrl }, calls) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = /** @type {{ rows: { n: number }[] }} */ (
    await client.query('select count(*)::int as n from ledger_row')
  );
  await client.end();
  const n = rows[0]?.n ?? 0;
  console.log(`${n.toLocaleString('en')} calls in the ledger, of ${calls.toLocaleString('en')} that were measured.`);
  return n >= calls;
}
