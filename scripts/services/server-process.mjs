import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';

const LOG_BYTES_KEPT = 10 * 1024 * 1024;

/**
 * Waits until the other end of its input is closed, which the launcher and its heirs keep open. Then it stops the
 * server if the pid file still names it.
 */
const GUARD = `
read -r _
tries=0
while [ "$tries" -lt 50 ] && kill -0 "$1"; do
  read -r named < "$2" && [ "$named" = "$1" ] && { kill -s "$3" "$1"; exit; }
  tries=$((tries + 1))
  sleep 0.2
done`;

/**
 * @typedef {object} ServerProcess
 * @property {number | undefined} pid
 * @property {Promise<void>} exited
 * @property {() => boolean} hasExited
 * @property {import('node:stream').Writable} lifeline the guard's input; a process that inherits it keeps the server
 *   running
 * @property {() => string} lastWords the end of the log of this run
 * @property {() => Promise<void>} stop
 */

/**
 * A server that accepts connections.
 * @typedef {object} RunningServer
 * @property {string} url
 * @property {number} port
 * @property {Promise<void>} exited
 * @property {import('node:stream').Writable} lifeline
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a server in a session of its own. Ctrl-C in the terminal then reaches only the launcher, which stops the app
 * first. If the launcher is killed, the guard stops the server.
 * @param {object} server
 * @param {string} server.command
 * @param {string[]} server.args
 * @param {import('node:child_process').SpawnOptions} server.options
 * @param {string} server.logFile
 * @param {string} server.pidFile
 * @param {NodeJS.Signals[]} server.stopSignals sent in this order, from the mildest to the strongest
 * @returns {ServerProcess}
 */
export function startServerProcess({ command, args, options, logFile, pidFile, stopSignals }) {
  const log = openLog(logFile);
  const logStart = statSync(logFile).size;
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);

  let failure = '';
  const exited = new Promise((/** @type {(value: void) => void} */ resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => resolve(void (failure = error.message)));
  });
  const hasExited = () => child.exitCode !== null || child.signalCode !== null || failure !== '';
  const guard = startGuard(child.pid, pidFile, stopSignals[0] ?? 'SIGTERM');
  void exited.then(() => guard.kill('SIGKILL'));
  child.unref();

  return {
    pid: child.pid,
    exited,
    hasExited,
    lifeline: /** @type {import('node:stream').Writable} */ (guard.stdin),
    lastWords: () =>
      failure || readFileSync(logFile).subarray(logStart).toString().trim().split('\n').slice(-5).join('\n'),
    async stop() {
      child.ref();
      for (const signal of stopSignals) {
        if (hasExited()) break;
        child.kill(signal);
        await Promise.race([exited, later(8000)]);
      }
      await exited;
    },
  };
}

/**
 * @param {number | undefined} pid
 * @param {string} pidFile
 * @param {NodeJS.Signals} signal
 */
function startGuard(pid, pidFile, signal) {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'slipway-guard', String(pid), pidFile, signal.replace('SIG', '')], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  /** @type {import('node:net').Socket} */ (guard.stdin).unref();
  return guard;
}

/** @param {string} path */
function openLog(path) {
  if (existsSync(path) && statSync(path).size > LOG_BYTES_KEPT) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** @returns {Promise<number>} a loopback port that is free at this moment */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/** @param {number} milliseconds */
function later(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
