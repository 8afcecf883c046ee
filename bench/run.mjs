import { explain } from '../scripts/start-error.mjs';
import { Environment } from './environment.mjs';
import { tableOf, writeToDocument } from './figures.mjs';
import { flag, NAMES } from './options.mjs';

/** @import { Figure } from './figures.mjs' */

/**
 * A benchmark is the file of its name in this folder. Its default export returns whether every rule held that must hold
 * on any machine. Speed never decides the result.
 * @type {Record<string, string>}
 */
const BENCHMARKS = {
  ledger:
    'reading and writing the LLM ledger, beside the floor, PostGraphile and a naive Nest with an ORM; --rows 200000 --projects 20 --database postgresql://…',
  spans: 'ten thousand spans that are calls in one request, and what a neighbour waits meanwhile',
  gateway: 'a chat completion through Slipway and through Portkey, beside the same call straight to its provider',
  http: 'a guarded route with its envelope, beside Express 5 that does the same by hand',
  jobs: 'a job accepted, done and its effect there, beside bare Bull by hand, graphile-worker and pg-boss',
  sessions: 'sessions made and listed beside the same by hand, a turn without its model, a page of a million',
  dock: 'jobs of the dock beside jobs that do nothing else; then tools and models',
  hooks: 'events of conversations through the hooks, beside the same rows by hand; pages of a long conversation',
  upload: 'chunks beside busboy straight to files and beside @tus/server, the memory of a large file; --gib 2',
  webhooks:
    'a message accepted, answered and called back, beside the same rows by hand and bare Bull; --waiting 100000',
  console: 'the console with 100,000 sessions and a large ledger, beyond what the API takes; --rows 5000000',
  idle: 'what an installation without traffic asks of the database, the processor and the memory',
  processes: 'how long a revocation takes while a hundred processes listen for it',
  keys: 'revoking keys while their requests run in two processes, and what a key check costs',
};
/** `all` leaves these out: the first has no target, and the others are parts of `dock`. */
const FURTHER = {
  scale:
    'messages and pages with one, two and four processes of each kind, and the cost of a message with up to a hundred',
  models: 'an answer of a deployed model, beside the same engine called directly',
  tools: 'runs of tools over HTTP, what of it is the flow, and a script on a warm thread',
};

const [name = ''] = NAMES;
if (name === 'all') {
  process.exitCode = (await runAll()) ? 0 : 1;
} else if (Object.hasOwn({ ...BENCHMARKS, ...FURTHER }, name)) {
  process.exitCode = (await run(name)).isWhole ? 0 : 1;
} else {
  const all = 'every benchmark, then one table; --write puts the table into docs/figures.md';
  const lines = Object.entries({ all, ...BENCHMARKS, ...FURTHER }).map(
    ([known, about]) => `  npm run bench -- ${known.padEnd(9)} ${about}`,
  );
  console.error(`${name ? `There is no benchmark ${name}. There are:` : 'The benchmarks:'}\n${lines.join('\n')}`);
  console.error(
    'Each takes --quick, which makes its measurements short, and --profile, which shows what the service computes.',
  );
  process.exitCode = 2;
}
// A benchmark that has failed may have left connections open.
process.exit();

/** Runs the benchmarks one after the other. One that fails does not keep the others from running. */
async function runAll() {
  /** @type {Figure[]} */
  const figures = [];
  const failed = [];
  for (const benchmark of Object.keys(BENCHMARKS)) {
    console.log(`\n== ${benchmark}`);
    const begun = performance.now();
    const result = await run(benchmark);
    console.log(`${benchmark} took ${((performance.now() - begun) / 1_000).toFixed(0)} s.`);
    figures.push(...result.figures);
    if (!result.isWhole) failed.push(benchmark);
  }
  const text = await tableOf(figures);
  console.log(`\n${text}`);
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}. Nothing is written.`);
    return false;
  }
  if (flag('write')) writeToDocument(text);
  return true;
}

/**
 * @param {string} benchmark
 * @returns {Promise<{ isWhole: boolean, figures: Figure[] }>}
 */
async function run(benchmark) {
  const environment = new Environment();
  const { figures } = environment;
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    void environment.close().finally(() => process.exit(130));
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.once(signal, interrupt);
  try {
    /** @type {unknown} */
    const module = await import(`./${benchmark}.mjs`);
    const { default: measure } = /** @type {{ default: (on: Environment) => Promise<boolean> }} */ (module);
    await environment.start();
    return { isWhole: await measure(environment), figures };
  } catch (error) {
    if (!isInterrupted) console.error(explain(error));
    return { isWhole: false, figures };
  } finally {
    await environment.close();
    for (const signal of signals) process.off(signal, interrupt);
  }
}
