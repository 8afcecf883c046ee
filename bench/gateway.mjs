import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { median, percentiles, PERCENTILES, quantile, size, spread, table, warmUp } from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Figure } from './figures.mjs' */
/** @import { Order, Waits } from './gateway-load.mjs' */

/**
 * A way to the provider.
 * @typedef {object} Way
 * @property {string} name
 * @property {Omit<Order, 'callers' | 'milliseconds' | 'stream'>} order
 * @property {Program} program
 */

const CALLERS = 50;
const THINKS_MS = 400;
const ROUNDS = size(5, 3);
const ROUND_MS = size(4_000, 2_000);
/** Each turn of a way begins with calls that are not measured, because the way has been idle during the turns of others. */
const LEAD_MS = size(6_000, 4_000);
const TARGET_MS = 3;
const TARGET_COMPUTING_MS = 1;

/**
 * Compares a chat completion through Slipway, with its row in the ledger, with the same call straight to the provider,
 * through a gateway by hand, and through that of Portkey. The last two keep no ledger.
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

  const path = '/v1/chat/completions';
  const straight = { url: double.url + path, key: 'none', model: 'gpt-4o' };
  const through = { url: `${service.url}/api/public/llm${path}`, key, model };
  const byHand = await environment.startFloor('gateway', { PROVIDER_URL: straight.url });
  const portkey = await environment.startPeer('portkey', { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' });
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${double.url}/v1` };
  /** @type {Way[]} */
  const ways = [
    { name: 'Slipway', order: through, program: service },
    { name: 'by hand', order: { ...straight, url: byHand.url }, program: byHand },
    ...(portkey
      ? [{ name: 'Portkey', order: { ...straight, url: portkey.url + path, headers }, program: portkey }]
      : []),
  ];
  const load = async (
    /** @type {Omit<Order, 'callers' | 'milliseconds' | 'stream'>} */ where,
    /** @type {boolean} */ stream,
    milliseconds = ROUND_MS,
  ) => {
    /** @type {Order} */
    const order = { ...where, stream, callers: CALLERS, milliseconds };
    const waits = /** @type {Waits} */ (await generator.ask(order));
    if (waits.failed > 0) throw new Error(`${waits.failed} calls failed`);
    return waits;
  };
  console.log(
    `${CALLERS} callers of a model that thinks for ${THINKS_MS} ms, ${ROUNDS} rounds of ${ROUND_MS / 1000} s, taking turns`,
  );
  // A model that does not think makes the programs warm with many calls, and their speed shows when they are.
  for (const stream of [false, true]) {
    for (const { order } of ways.toReversed()) {
      await warmUp(async (time) => (await load(order, stream, time)).last.length / (time / 1_000));
    }
  }
  await double.ask({ thinksMs: THINKS_MS });
  let calls = 0;
  /** @type {Figure[]} */
  const figures = [];
  const rows = [['', 'straight, ms', 'through it, ms', 'added, median', 'added, p95', 'computing, ms']];
  const waits = [['a call, ms', ...PERCENTILES]];
  for (const [title, stream, part] of /** @type {const} */ ([
    ['whole answer', false, 'last'],
    ['first byte of a stream', true, 'first'],
  ])) {
    /** @type {number[][]} */
    const direct = [];
    const found = ways.map((way) => ({
      way,
      waits: /** @type {number[][]} */ ([]),
      computing: /** @type {number[]} */ ([]),
    }));
    for (let round = 0; round < ROUNDS; round += 1) {
      direct.push((await load(straight, stream))[part]);
      // Each round begins with another way.
      for (const each of round % 2 ? found.toReversed() : found) {
        await load(each.way.order, stream, LEAD_MS);
        const before = each.way.program.cpuSeconds();
        const waited = (await load(each.way.order, stream))[part];
        each.computing.push(((each.way.program.cpuSeconds() - before) * 1000) / waited.length);
        each.waits.push(waited);
      }
    }
    calls += found[0]?.waits.flat().length ?? 0;
    waits.push([`${title}, straight`, ...percentiles(direct.flat())]);
    const added = found.map(({ way, waits: through, computing }) => {
      const more = (/** @type {number} */ at) =>
        through.map((values, round) => quantile(values, at) - quantile(direct[round] ?? [], at));
      rows.push([
        `${title}, ${way.name}`,
        spread(direct.map(median), 1),
        spread(through.map(median), 1),
        spread(more(0.5), 1),
        spread(more(0.95), 1),
        spread(computing, 1),
      ]);
      waits.push([`${title}, ${way.name}`, ...percentiles(through.flat())]);
      return more(0.5);
    });
    const [ours = [], floor = [], theirs] = added;
    const [computing = [], computingOfFloor = [], computingOfPeer] = found.map((each) => each.computing);
    figures.push({
      work: `gateway: ${title}, added`,
      ours: `${spread(ours, 1)} ms`,
      floor: `${spread(floor, 1)} ms, by hand without a ledger`,
      peers: theirs ? [`${spread(theirs, 1)} ms by Portkey`] : [],
      target: `at most ${TARGET_MS} ms${theirs ? ', less than Portkey' : ''}`,
      isMet: median(ours) <= TARGET_MS && (!theirs || median(ours) < median(theirs)),
    });
    figures.push({
      work: `gateway: ${title}, computing`,
      ours: `${spread(computing, 1)} ms`,
      floor: `${spread(computingOfFloor, 1)} ms, by hand without a ledger`,
      peers: computingOfPeer ? [`${spread(computingOfPeer, 1)} ms by Portkey`] : [],
      target: `at most ${TARGET_COMPUTING_MS} ms`,
      isMet: median(computing) <= TARGET_COMPUTING_MS,
    });
  }
  console.log(`${table(rows)}\n${table(waits)}`);
  for (const figure of figures) environment.judge(figure);
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
