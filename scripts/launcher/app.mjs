import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { inProject, root } from '../project.mjs';
import { NODE_OPTIONS } from './node-options.mjs';

/** The app has this time to finish its work. */
const PATIENCE = 15_000;

/**
 * Starts the app in a session of its own, so that Ctrl-C reaches only the launcher.
 * @param {object} options
 * @param {string} options.node
 * @param {NodeJS.ProcessEnv} options.env
 * @param {import('node:stream').Writable[]} options.lifelines inherited by the app; the servers behind them live as
 *   long as it does
 */
export function startApp({ node, env, lifelines }) {
  const child = spawn(node, [...NODE_OPTIONS, inProject('dist', 'bundle', 'main.js')], {
    cwd: root,
    env: { NODE_COMPILE_CACHE: inProject('dist', '.compile-cache'), ...env },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...lifelines],
  });

  /** @type {Promise<string>} */
  const ready = new Promise((resolve) => {
    child.on('message', (/** @type {{ type?: string, url?: string }} */ message) => {
      if (message.type === 'ready' && message.url) resolve(message.url);
    });
  });
  /** @type {Promise<number>} */
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
  const kill = () => killGroup(child.pid);

  return {
    ready,
    exited,
    kill,
    async stop() {
      child.kill('SIGTERM');
      const impatience = setTimeout(kill, PATIENCE);
      await exited.catch(() => {});
      clearTimeout(impatience);
    },
  };
}

/** @param {number | undefined} leader */
function killGroup(leader) {
  try {
    if (leader) process.kill(-leader, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}
