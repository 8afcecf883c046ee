import { randomBytes } from 'node:crypto';
import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { DAY_MS } from './ledger-data.mjs';
import { median, quantile, size, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */
/** @import { Result } from './load.mjs' */

const SPANS = 10_000;
const IN_A_TRACE = 10;
const ROUNDS = size(9, 3);
/** The engine compiles what reads and writes spans while it handles these, and then what answers the neighbour. */
const WARM_UP = { requests: size(8, 4), milliseconds: size(8_000, 4_000) };
const PAUSE_MS = 5;
const TARGET_MS = 1_000;
const TARGET_OF_NEIGHBOUR_MS = 100;

/**
 * Sends the most spans that a request may have, each of them a call of a model, and measures how long a neighbour waits
 * meanwhile for small requests.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const service = await environment.startService();
  const administration = new Administration(service.url, environment.adminKey);
  const [sender, neighbour] = [await keyOf(administration), await keyOf(administration)];
  const generator = await environment.startProgram(inProject('bench', 'load.mjs'));
  const window = `fromDate=${new Date(Date.now() - DAY_MS).toISOString()}&toDate=${new Date().toISOString()}`;
  const path = `/api/public/analytics/projects/${neighbour.projectId}/llm-ledger?${window}`;
  const reads = { url: service.url + path, key: neighbour.key, connections: 1 };
  const send = async () => {
    const body = JSON.stringify(exportOf(SPANS));
    const headers = { 'x-api-key': sender.key, 'content-type': 'application/json' };
    const reading = /** @type {Promise<Result>} */ (generator.ask({ ...reads, pauseMs: PAUSE_MS }));
    const begun = performance.now();
    const response = await fetch(`${service.url}/api/public/otel/v1/traces`, { method: 'POST', headers, body });
    const answer = await response.text();
    const time = performance.now() - begun;
    if (answer !== '{}') throw new Error(`The spans were answered ${response.status}: ${answer}`);
    const [{ waits, refused }] = await Promise.all([reading, generator.ask('stop')]);
    if (refused > 0) throw new Error(`${refused} requests of the neighbour were refused`);
    return { time, waits };
  };
  for (let request = 0; request < WARM_UP.requests; request += 1) await send();
  await generator.ask({ ...reads, milliseconds: WARM_UP.milliseconds });
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await send());
  const times = rounds.map(({ time }) => time);
  const waits = rounds.flatMap((round) => round.waits);
  const longest = Math.max(...waits);
  console.log(
    table([
      [`${SPANS.toLocaleString('en')} spans that are calls`, 'ms'],
      ['until they are recorded', spread(times)],
      ['a small request of a neighbour, median', median(waits).toFixed(1)],
      ['99 of 100', quantile(waits, 0.99).toFixed(1)],
      ['the longest', longest.toFixed(1)],
    ]),
  );
  environment.judge({
    work: `traces: ${SPANS.toLocaleString('en')} spans that are calls`,
    ours: `${spread(times)} ms; a neighbour waited ${longest.toFixed(0)} ms at most`,
    target: `${TARGET_MS} ms; ${TARGET_OF_NEIGHBOUR_MS} ms`,
    isMet: median(times) <= TARGET_MS && longest <= TARGET_OF_NEIGHBOUR_MS,
  });
  return true;
}

/** @param {Administration} administration */
async function keyOf(administration) {
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['analytics:read', 'analytics:write']);
  const { apikey } = await administration.makeKey(appId, 'benchmark', 'benchmark');
  return { key: apikey, projectId: await administration.projectOf(appId) };
}

/** @param {number} count */
function exportOf(count) {
  const now = Date.now();
  let traceId = '';
  const spans = Array.from({ length: count }, (_, at) => {
    if (at % IN_A_TRACE === 0) traceId = randomBytes(16).toString('hex');
    return {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      name: 'chat gpt-4o',
      startTimeUnixNano: `${now - 1_240}000000`,
      endTimeUnixNano: `${now}000000`,
      attributes: [
        text('gen_ai.operation.name', 'chat'),
        text('gen_ai.provider.name', 'openai'),
        text('gen_ai.request.model', 'gpt-4o'),
        text('gen_ai.input.messages', messages('user', `What is the state of order ${at}?`)),
        text('gen_ai.output.messages', messages('assistant', `Order ${at} was sent yesterday.`)),
        { key: 'gen_ai.usage.input_tokens', value: { intValue: '812' } },
        { key: 'gen_ai.usage.output_tokens', value: { intValue: '96' } },
      ],
    };
  });
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

/**
 * @param {string} key
 * @param {string} stringValue
 */
function text(key, stringValue) {
  return { key, value: { stringValue } };
}

/**
 * @param {string} role
 * @param {string} content
 */
function messages(role, content) {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}
