import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { inProject, nestedNpmEnvironment, root } from './project.mjs';
import { ensureBuilt, ensureClientBuilt, ensureInstalled, refuseOldNode } from './setup.mjs';
import { explain } from './start-error.mjs';
import { onStopSignal } from './stop-signal.mjs';

/** @typedef {{ name: string, command: string, args: string[], env: NodeJS.ProcessEnv }} Step */

const jestArgs = process.argv.slice(2);
let isStopped = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;

onStopSignal(
  () => {
    isStopped = true;
    running?.kill();
  },
  () => process.exit(130),
);

try {
  refuseOldNode();
  const node = await ensureInstalled(console.log, 'everything');
  await ensureBuilt(console.log);
  await ensureClientBuilt(console.log);
  const failed = [];
  for (const step of stepsFor(node)) {
    if (!isStopped && !(await run(step))) failed.push(step.name);
  }
  if (failed.length > 0 && !isStopped) console.error(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} catch (error) {
  if (!isStopped) console.error(explain(error));
  process.exitCode = 1;
}
if (isStopped) process.exitCode = 130;

/**
 * With arguments, only Jest runs, and gets them: `npm test -- access`.
 * @param {string} node
 * @returns {Step[]}
 */
function stepsFor(node) {
  const env = nestedNpmEnvironment();
  const lint = { name: 'lint', command: 'npm', args: ['run', '--silent', 'lint'], env };
  const jest = {
    name: 'tests',
    command: node,
    // The flag reaches Jest's threads too, which load the service from its TypeScript sources.
    args: [
      '--import',
      pathToFileURL(inProject('test', 'support', 'typescript.mjs')).href,
      inProject('node_modules', 'jest', 'bin', 'jest.js'),
      ...jestArgs,
    ],
    env: process.env,
  };
  return jestArgs.length > 0 ? [jest] : [lint, jest];
}

/**
 * @param {Step} step
 * @returns {Promise<boolean>}
 */
function run({ name, command, args, env }) {
  console.log(`\n== ${name}`);
  const began = Date.now();
  return new Promise((resolve) => {
    running = spawn(command, args, { cwd: root, env, stdio: 'inherit' });
    running.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    running.once('exit', (code) => {
      const result = code === 0 ? 'passed' : 'failed';
      console.log(`== ${name} ${result} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
      resolve(code === 0);
    });
  });
}
