import { Administration } from './administration.mjs';
import { makeSessions, printSessions } from './many-sessions.mjs';
import { loadInRounds, median, PERCENTILES, percentiles, ratiosOf, size, spread, table, warmUp } from './measure.mjs';

/** @import { Environment, Program } from './environment.mjs' */
/** @import { Figure } from './figures.mjs' */

const ROUNDS = size(10, 3);
const ROUND_MS = size(1_500, 1_000);
const CALLERS = 16;
const TARGET = 0.7;
const TURN_TARGET_MS = 8;
const MANY = size(1_000_000, 60_000);
const TURNS = size(200, 60);

/**
 * Compares making and listing sessions with the same rows by hand, and measures a turn without its model and a page of
 * a million sessions.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const service = await environment.startService();
  const administration = new Administration(service.url, environment.adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['RUN_API', 'SESSION_CREATION', 'SESSIONS_LIST']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  await activateAgent(service.url, environment.adminKey, appId);
  const floor = await environment.startFloor('sessions');
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const creating = {
    path: `/api/v2/apps/${appId}/environments/production/sessions`,
    body: () => ({ sessionIdentity: [{ type: 'userReference', value: `user-${Math.random()}` }] }),
  };
  const listing = { path: `/api/public/apps/${appId}/sessions/list?limit=100`, body: () => ({}) };

  /** @type {(program: Program, what: typeof listing | typeof creating, milliseconds: number) => Promise<number>} */
  const load = async ({ url }, { path, body }, milliseconds) => {
    const end = performance.now() + milliseconds;
    let answered = 0;
    const caller = async () => {
      while (performance.now() < end) {
        const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body()) });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${path} answered ${response.status}`);
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return (answered * 1000) / milliseconds;
  };

  const rows = [['', 'Slipway, a second', 'by hand, a second', 'ratio, pair by pair']];
  /** @type {Figure[]} */
  const figures = [];
  for (const [title, what] of /** @type {const} */ ([
    ['create', creating],
    ['list of 100', listing],
  ])) {
    for (const program of [floor, service]) await warmUp((milliseconds) => load(program, what, milliseconds));
    const loads = [service, floor].map((program) => (/** @type {number} */ time) => load(program, what, time));
    const [ours = [], theirs = []] = await loadInRounds(ROUNDS, ROUND_MS, loads);
    const ratios = ratiosOf(ours, theirs);
    figures.push({
      work: `sessions: ${title}`,
      ours: `${spread(ours)} a second`,
      floor: `${spread(theirs)} a second, by hand`,
      ratio: spread(ratios, 2),
      target: `at least ${TARGET}`,
      isMet: median(ratios) >= TARGET,
    });
    rows.push([title, spread(ours), spread(theirs), spread(ratios, 2)]);
  }
  console.log(
    `${CALLERS} callers, ${ROUNDS} rounds of ${ROUND_MS / 1000} s, taking turns; the floor is Express and pg by hand`,
  );
  console.log(table(rows));
  for (const figure of figures) environment.judge(figure);

  await measureTurns(environment, service.url, headers, appId);
  // The part that is not counted yet and the edges of a window are largest if all of them are of one day.
  const seconds = await makeSessions(environment.databaseUrl, appId, MANY);
  await printSessions({ url: service.url, headers, appId, count: MANY, limit: 100 });
  console.log(`They were counted in ${seconds.toFixed(1)} s; the job looks for work every second.`);
  return true;
}

/**
 * @param {string} url
 * @param {string} adminKey
 * @param {string} appId
 */
async function activateAgent(url, adminKey, appId) {
  const headers = { 'x-api-key': adminKey, 'content-type': 'application/json' };
  const at = `${url}/api/admin/v1/apps/${appId}`;
  const agent = { name: 'Benchmark', instructions: '' };
  const made = await fetch(`${at}/agents`, { method: 'POST', headers, body: JSON.stringify(agent) });
  const { data } = /** @type {{ data: { agentId: string } }} */ (await made.json());
  const body = JSON.stringify({ agentId: data.agentId, active: true });
  await fetch(`${at}/environments/production`, { method: 'PUT', headers, body });
}

/**
 * Runs turns one after the other on the mock, which answers at once, so that the time is that of the turn alone.
 * @param {Environment} environment
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {string} appId
 */
async function measureTurns(environment, url, headers, appId) {
  const waits = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const sessionIdentity = [{ type: 'sessionReference', value: `turn-${turn % 20}` }];
    const begun = performance.now();
    const body = JSON.stringify({ sessionIdentity, input: 'Hello' });
    const response = await fetch(`${url}/api/v2/apps/${appId}/environments/production/runs`, {
      method: 'POST',
      headers,
      body,
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`A run answered ${response.status}`);
    waits.push(performance.now() - begun);
  }
  const rows = await query(
    environment.databaseUrl,
    `select extract(epoch from (finished_at - started_at)) * 1000 as ms from run where app_id = '${appId}'`,
  );
  const inside = rows.map(({ ms }) => Number(ms));
  console.log(
    table([
      ['a turn on the mock, ms', ...PERCENTILES],
      ['from begun to ended', ...percentiles(inside)],
      ['from request to answer', ...percentiles(waits)],
    ]),
  );
  environment.judge({
    work: 'sessions: a turn on the mock, from begun to ended',
    ours: `${percentiles(inside)[0]} ms`,
    target: `at most ${TURN_TARGET_MS} ms`,
    isMet: median(inside) <= TURN_TARGET_MS,
  });
}

/**
 * @param {string} databaseUrl
 * @param {string} text
 */
async function query(databaseUrl, text) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = /** @type {{ rows: Record<string, unknown>[] }} */ (await client.query(text));
  await client.end();
  return rows;
}
