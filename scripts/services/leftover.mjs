import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.mjs';

/**
 * Returns the command line of a process, or '' if there is no such process. A process id alone proves nothing, because
 * after a crash or a reboot it may belong to another program.
 * @param {number} pid
 */
export function commandLineOf(pid) {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/**
 * @param {string} path
 * @returns {number | undefined} the id in the first line
 */
export function readPidFile(path) {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stops a server that outlived its launcher.
 * @param {object} leftover
 * @param {string} leftover.name
 * @param {string} leftover.pidFile
 * @param {(commandLine: string) => boolean} leftover.isOurs
 * @param {NodeJS.Signals[]} leftover.signals sent in this order, from the mildest to the strongest
 */
export async function stopLeftover({ name, pidFile, isOurs, signals }) {
  const pid = readPidFile(pidFile);
  if (!pid) return;
  const runs = () => isOurs(commandLineOf(pid));
  for (const signal of signals) {
    const deadline = Date.now() + 8000;
    if (runs()) sendSignal(name, pid, signal);
    while (runs() && Date.now() < deadline) await sleep(20);
  }
  if (runs()) throw new StartError(`${name} of an earlier start (process ${pid}) cannot be stopped. Stop it first.`);
}

/**
 * @param {string} name
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function sendSignal(name, pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ESRCH') return;
    throw new StartError(`${name} of this data folder still runs as another user (process ${pid}). Stop it first.`);
  }
}
