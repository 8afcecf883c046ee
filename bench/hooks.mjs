import { createHmac } from 'node:crypto';
import pg from 'pg';
import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import {
  loadInRounds,
  median,
  PERCENTILES,
  percentiles,
  ratiosOf,
  size,
  speedsOf,
  spread,
  table,
  warmUp,
} from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Order, Result } from './hooks-load.mjs' */

const CONNECTIONS = 16;
const ROUNDS = size(15, 5);
const ROUND_MS = size(1_500, 1_000);
const TARGET = 0.7;
const LONG = size(10_000, 2_000);
const AT_ONCE = 100;
const READS = 40;

/**
 * Compares events through the hooks with the same rows written by hand, and reads pages of a long conversation.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const service = await environment.startService();
  const administration = new Administration(service.url, environment.adminKey);
  const projectId = await administration.projectOf(await administration.makeApp());
  const { botId, clientId, clientSecret } = await administration.makeBot(projectId);
  const floor = await environment.startFloor('hooks', { CLIENT_SECRET: clientSecret });
  const generator = await environment.startProgram(inProject('bench', 'hooks-load.mjs'));
  const token = sign(clientId, clientSecret);

  let sent = 0;
  let turn = 0;
  /** @type {(program: Program, milliseconds: number) => Promise<Result>} */
  const load = async ({ url }, milliseconds) => {
    turn += 1;
    /** @type {Order} */
    const order = { url, botId, token, name: `round-${turn}`, connections: CONNECTIONS, milliseconds };
    const result = /** @type {Result} */ (await generator.ask(order));
    if (result.refused > 0) throw new Error(`${result.refused} events were refused`);
    sent += result.waits.length;
    return result;
  };
  console.log(
    `One event a call, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS / 1000} s, taking turns; waits in ms`,
  );
  for (const program of [floor, service]) {
    await warmUp((milliseconds) => load(program, milliseconds).then(({ perSecond }) => perSecond));
  }
  const loads = [service, floor].map((program) => (/** @type {number} */ time) => load(program, time));
  const [ofService = [], ofFloor = []] = await loadInRounds(ROUNDS, ROUND_MS, loads);
  const ratios = ratiosOf(speedsOf(ofService), speedsOf(ofFloor));
  console.log(
    table([
      ['', 'events/s', ...PERCENTILES],
      ['Slipway', ...figures(ofService)],
      ['the floor: Express 5, the same rows by hand', ...figures(ofFloor)],
      ['ratio, pair by pair', spread(ratios, 2), '', '', ''],
    ]),
  );
  environment.judge({
    work: 'hooks: events',
    ours: `${figures(ofService)[0]} a second`,
    floor: `${figures(ofFloor)[0]} a second, the same rows by hand`,
    ratio: spread(ratios, 2),
    target: `at least ${TARGET}`,
    isMet: median(ratios) >= TARGET,
  });
  await printReading(environment, service.url, botId, token);
  return everyEventIsKept(environment, sent);
}

/**
 * @param {Environment} environment
 * @param {string} url
 * @param {string} botId
 * @param {string} token
 */
async function printReading({ adminKey }, url, botId, token) {
  const conversationId = 'long';
  for (let sent = 0; sent < LONG; sent += AT_ONCE) {
    const events = Array.from({ length: AT_ONCE }, (_, at) => ({
      name: 'INTERNAL_TRANSFER_EVENT',
      transfertype: 'WARM',
      transition: at % 2 ? 'exit' : 'entry',
      isExtAD: 'false',
      experience: 'voice',
      participant: { identity: `agent-${Math.floor((sent + at) / 2)}`, name: 'Ada', type: 'agent' },
    }));
    const response = await fetch(`${url}/agentassist/api/v1/hooks/${botId}`, {
      method: 'POST',
      headers: { token, 'content-type': 'application/json' },
      body: JSON.stringify({ conversationId, botId, events }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
  const rows = [[`a page of 100 of ${LONG.toLocaleString('en')} events`, 'ms']];
  /** @param {Record<string, string>} query */
  const read = async (query) => {
    const path = `${url}/api/admin/v1/bots/${botId}/conversations/${conversationId}?${new URLSearchParams(query).toString()}`;
    const response = await fetch(path, { headers: { 'x-api-key': adminKey } });
    const { data } = /** @type {{ data: { timeline: object[], nextCursor: string | null } }} */ (await response.json());
    return data;
  };
  let at = {};
  for (let behind = 0; behind < LONG; behind += 100) {
    if ([0, LONG / 2, LONG - 100].includes(behind)) {
      /** @type {number[]} */
      const times = [];
      for (let reads = 0; reads < READS; reads += 1) {
        const begun = performance.now();
        const { timeline } = await read({ ...at, limit: '100' });
        times.push(performance.now() - begun);
        if (timeline.length !== 100) throw new Error(`A page has ${timeline.length} events`);
      }
      rows.push([`behind event ${behind.toLocaleString('en')}`, spread(times, 1)]);
    }
    const { nextCursor } = await read({ ...at, limit: '100' });
    at = nextCursor === null ? {} : { cursor: nextCursor };
  }
  console.log(table(rows));
}

/** @param {Result[]} results */
function figures(results) {
  return [spread(speedsOf(results)), ...percentiles(results.flatMap(({ waits }) => waits))];
}

/**
 * @param {Environment} environment
 * @param {number} sent
 */
async function everyEventIsKept({ databaseUrl }, sent) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  /** @type {pg.QueryResult<{ n: number }>} */
  const { rows } = await client.query('select count(*)::int as n from assist_event');
  await client.end();
  const n = rows[0]?.n ?? 0;
  console.log(
    `${n.toLocaleString('en')} events are kept, of ${(sent + LONG).toLocaleString('en')} that were answered.`,
  );
  return n >= sent + LONG;
}

/**
 * @param {string} clientId
 * @param {string} secret
 */
function sign(clientId, secret) {
  const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'benchmark', appId: clientId, iat: Math.floor(Date.now() / 1000) })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
