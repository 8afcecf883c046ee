import { randomBytes } from 'node:crypto';
import { Administration } from './administration.mjs';
import { DAY_MS } from './ledger-data.mjs';
import { median, quantile, size, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */

const SPANS = 10_000;
const IN_A_TRACE = 10;
const ROUNDS = size(9, 3);
/** The engine compiles what reads and writes spans while it handles these, and then what answers the neighbour. */
const WARM_UP = { requests: size(8, 4), reads: size(4_000, 2_000) };
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
  const send = async () => {
    const body = JSON.stringify(exportOf(SPANS));
    const headers = { 'x-api-key': sender.key, 'content-type': 'application/json' };
    const begun = performance.now();
    const response = await fetch(`${service.url}/api/public/otel/v1/traces`, { method: 'POST', headers, body });
    const answer = await response.text();
    if (answer !== '{}') throw new Error(`The spans were answered ${response.status}: ${answer}`);
    return performance.now() - begun;
  };
  const window = `fromDate=${new Date(Date.now() - DAY_MS).toISOString()}&toDate=${new Date().toISOString()}`;
  const path = `${service.url}/api/public/analytics/projects/${neighbour.projectId}/llm-ledger?${window}`;
  const read = async () => {
    const begun = performance.now();
    const response = await fetch(path, { headers: { 'x-api-key': neighbour.key } });
    await response.text();
    if (!response.ok) throw new Error(`The neighbour was answered ${response.status}`);
    return performance.now() - begun;
  };
  for (let request = 0; request < WARM_UP.requests; request += 1) await send();
  for (let request = 0; request < WARM_UP.reads; request += 1) await read();
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const waits = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let isSent = false;
    const sending = send().finally(() => (isSent = true));
    while (!isSent) {
      waits.push(await read());
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    times.push(await sending);
  }
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
