import { inProject } from '../scripts/project.mjs';
import { Administration } from './administration.mjs';
import { median, size, spread, table } from './measure.mjs';
import { ToolsClient } from './tools-client.mjs';

/** @import { Environment } from './environment.mjs' */

/**
 * @typedef {object} Scripts
 * @property {(given: { projectId: string, code: string, scope: object, timeoutMs: number }) => Promise<unknown>} run
 */

/**
 * @typedef {object} Pool
 * @property {() => Promise<void>} onApplicationShutdown
 */

/** @typedef {{ ComputePool: new () => Pool, Scripts: new (pool: Pool) => Scripts, scopeOf: (of: object) => object }} Modules */

const ROUNDS = size(5, 3);
const RUNS = size(200, 60);

const START = { id: 'start', type: 'start' };
const END = { id: 'end', type: 'end' };
const SCRIPT = { id: 'script', type: 'script', code: 'return { doubled: input.n * 2 };' };

/** @type {Record<string, object[]>} */
const FLOWS = { 'empty flow': [START, END], 'flow of 3 nodes, one a script': [START, SCRIPT, END] };

/**
 * Compares runs of tools over HTTP with the floor, which is a job that does nothing else. It also measures the part
 * that is the flow, and a script on a warm thread.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const service = await environment.startService();
  const administration = new Administration(service.url, environment.adminKey);
  const appId = await administration.makeApp();
  await administration.makeScope(appId, 'benchmark', ['RUN_API']);
  const { apikey: key } = await administration.makeKey(appId, 'benchmark', 'load');
  const client = new ToolsClient(service.url, key);

  const rows = [['', 'asked over HTTP, ms', 'the flow itself, ms']];
  /** @type {Record<string, number[]>} */
  const within = {};
  let failed = 0;
  for (const [title, nodes] of Object.entries(FLOWS)) {
    const toolId = await client.deploy(nodes);
    await client.measure(toolId, RUNS);
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) found.push(await client.measure(toolId, RUNS));
    failed += found.reduce((sum, one) => sum + one.failed, 0);
    const flow = found.map((one) => one.flow);
    within[title] = flow;
    rows.push([
      title,
      spread(
        found.map((one) => one.asked),
        2,
      ),
      spread(flow, 2),
    ]);
  }
  console.log(`${RUNS} runs a round, one after the other, ${ROUNDS} rounds; medians`);
  console.log(table(rows));
  const script = await scripts();
  console.log(`A script on a warm thread: ${spread(script, 2)} ms; the floor, the same function called: 0.00 ms`);
  const emptyFlow = within['empty flow'] ?? [];
  for (const [work, times, target] of /** @type {const} */ ([
    ['tools: an empty flow', emptyFlow, 5],
    ['tools: a script on a warm thread', script, 2],
  ])) {
    const isMet = median(times) <= target;
    environment.judge({ work, ours: `${spread([...times], 2)} ms`, target: `at most ${target} ms`, isMet });
  }
  return failed === 0;
}

/** @returns {Promise<number[]>} the median of each round, in milliseconds */
async function scripts() {
  /** @param {string[]} path @returns {Promise<unknown>} */
  const load = (...path) => import(inProject('dist', 'src', ...path));
  const { ComputePool } = /** @type {Modules} */ (await load('platform', 'compute', 'compute-pool.js'));
  const { Scripts } = /** @type {Modules} */ (await load('modules', 'tools', 'scripts', 'scripts.js'));
  const { scopeOf } = /** @type {Modules} */ (await load('platform', 'template', 'scope.js'));
  const pool = new ComputePool();
  const runner = new Scripts(pool);
  const given = {
    projectId: 'p-bench',
    code: SCRIPT.code,
    scope: scopeOf({ input: { n: 2 }, nodes: {}, env: {}, run: {} }),
    timeoutMs: 1_000,
  };
  await runner.run(given);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const times = [];
    for (let n = 0; n < RUNS; n += 1) {
      const begun = performance.now();
      await runner.run(given);
      times.push(performance.now() - begun);
    }
    rounds.push(median(times));
  }
  await pool.onApplicationShutdown();
  return rounds;
}
