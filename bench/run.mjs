import { explain } from '../scripts/start-error.mjs';
import { Environment } from './environment.mjs';

/**
 * A benchmark is the file of its name in this folder. Its default export returns whether every rule held that must hold
 * on any machine. Speed never decides the result.
 * @type {Record<string, string>}
 */
const BENCHMARKS = {
  ledger: 'reading and writing the LLM ledger, beside the floor and a naive Nest with an ORM; --rows 200000',
  gateway: 'a chat completion through Slipway, beside the same call straight to a double of its provider',
  http: 'a guarded route with its envelope, beside Express 5 that does the same by hand',
  jobs: 'a job accepted, done and its effect there, beside bare Bull with the same rows and commits by hand',
  models: 'an answer of a deployed model, beside the same engine called directly',
  sessions: 'sessions made and listed beside the same by hand, a turn without its model, a page of a million',
  dock: 'jobs of the dock beside jobs that do nothing else; then tools and models',
  hooks: 'events of conversations through the hooks, beside the same rows by hand; pages of a long conversation',
  upload: 'chunks beside busboy straight to files, the memory of a large file, completing many chunks; --gib 2',
  tools: 'runs of tools over HTTP, what of it is the flow, and a script on a warm thread',
  webhooks: 'a message accepted, answered and called back, beside the same commits by hand; --waiting 100000',
  console: 'the console with 100,000 sessions and a large ledger, beyond what the API takes; --rows 5000000',
  idle: 'what an installation without traffic asks of the database, the processor and the memory',
  keys: 'revoking keys while their requests run in two processes, and what a key check costs',
};

const [name = ''] = process.argv.slice(2);
if (Object.hasOwn(BENCHMARKS, name)) {
  process.exitCode = (await run(name)) ? 0 : 1;
} else {
  const lines = Object.entries(BENCHMARKS).map(([known, about]) => `  npm run bench -- ${known.padEnd(8)} ${about}`);
  console.error(`${name ? `There is no benchmark ${name}. There are:` : 'The benchmarks:'}\n${lines.join('\n')}`);
  process.exitCode = 2;
}

/** @param {string} benchmark */
async function run(benchmark) {
  const environment = new Environment();
  let isInterrupted = false;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => {
      isInterrupted = true;
      void environment.close().finally(() => process.exit(130));
    });
  }
  try {
    /** @type {unknown} */
    const module = await import(`./${benchmark}.mjs`);
    const { default: measure } = /** @type {{ default: (on: Environment) => Promise<boolean> }} */ (module);
    await environment.start();
    return await measure(environment);
  } catch (error) {
    if (!isInterrupted) console.error(explain(error));
    return false;
  } finally {
    await environment.close();
  }
}
