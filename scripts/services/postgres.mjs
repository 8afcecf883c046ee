import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.mjs';
import { commandLineOf, readPidFile, stopLeftover } from './leftover.mjs';
import { openCluster } from './postgres-cluster.mjs';
import { findHome } from './postgres-home.mjs';
import { freePort, startServerProcess } from './server-process.mjs';

/** @import { RunningServer, ServerProcess } from './server-process.mjs' */
/** @import { Cluster } from './postgres-cluster.mjs' */

/** Tests delete their cluster, so it need not survive a power cut. */
const THROWAWAY = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=128MB',
  'timezone=UTC',
  'log_timezone=UTC',
  // A log entry of a failed statement quotes its values, and user data does not belong in a log. The app receives the
  // error.
  'log_min_messages=log',
  'log_min_error_statement=panic',
];

/**
 * Starts the PostgreSQL of a data folder, with a database `slipway` that the user `slipway` owns. The cluster is
 * created if it is missing.
 * @param {object} options
 * @param {string} options.dataDir
 * @param {boolean} [options.durable] if false, PostgreSQL is as fast as possible, and `stop()` deletes the data
 * @param {(line: string) => void} [options.log]
 * @param {number} [options.port] a free one by default
 * @returns {Promise<RunningServer>}
 */
export async function startPostgres({ dataDir, durable = true, log = console.log, port }) {
  const home = await findHome({ dataDir, durable, log });
  const cluster = await openCluster({ home, durable, log, beforeUse: stopEarlierServer });
  const server = await launch({ cluster, dataDir, durable, log, port });
  return {
    url: `postgresql://slipway:${cluster.password}@127.0.0.1:${server.port}/slipway`,
    port: server.port,
    exited: server.process.exited,
    lifeline: server.process.lifeline,
    async stop() {
      await server.process.stop();
      if (!durable) home.remove();
    },
  };
}

/** @param {string} folder the cluster's */
function stopEarlierServer(folder) {
  return stopLeftover({
    name: 'PostgreSQL',
    pidFile: join(folder, 'postmaster.pid'),
    isOurs: (commandLine) => isServerOf(folder, commandLine),
    signals: ['SIGINT', 'SIGQUIT'],
  });
}

/**
 * @param {string} folder
 * @param {string} commandLine
 */
function isServerOf(folder, commandLine) {
  return commandLine.includes(`postgres -D ${folder} `);
}

/**
 * @param {object} options
 * @param {Cluster} options.cluster
 * @param {string} options.dataDir
 * @param {boolean} options.durable
 * @param {(line: string) => void} options.log
 * @param {number} [options.port]
 */
async function launch({ cluster, dataDir, durable, log, port: wanted }) {
  const logFile = join(dataDir, 'postgres.log');
  const deadline = Date.now() + 15_000;
  for (;;) {
    const port = wanted ?? (await freePort());
    disownPidFile(cluster.folder);
    const settings = durable ? SETTINGS : [...SETTINGS, ...THROWAWAY];
    const process = startServerProcess({
      command: cluster.binaries.postgres,
      args: ['-D', cluster.folder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      options: cluster.spawnOptions,
      logFile,
      pidFile: join(cluster.folder, 'postmaster.pid'),
      stopSignals: durable ? ['SIGINT', 'SIGQUIT', 'SIGKILL'] : ['SIGQUIT', 'SIGKILL'],
    });
    if (await isReady(process, cluster.folder, log)) return { process, port };
    const reason = process.lastWords();
    // Both faults pass: the backends of a killed server end by themselves, and if another program has taken the free
    // port first, the next attempt finds another.
    const passes = /shared memory block .* still in use|Address already in use/.test(reason);
    if (!passes || Date.now() > deadline) throw new StartError(`PostgreSQL did not start. ${logFile} says:\n${reason}`);
    await sleep(100);
  }
}

/**
 * After a crash, postmaster.pid may name a process that now belongs to another program, and PostgreSQL would refuse to
 * start. PostgreSQL accepts the id of its own parent there. The other lines stay, because PostgreSQL needs them to see
 * whether old backends still run.
 * @param {string} folder
 */
function disownPidFile(folder) {
  const path = join(folder, 'postmaster.pid');
  const pid = readPidFile(path);
  if (pid && isServerOf(folder, commandLineOf(pid))) return;
  if (!pid) return rmSync(path, { force: true });
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [process.pid, ...rest].join('\n'));
}

/**
 * @param {ServerProcess} server
 * @param {string} folder
 * @param {(line: string) => void} log
 */
async function isReady(server, folder, log) {
  const started = Date.now();
  let hasReported = false;
  while (!server.hasExited()) {
    if (statusOf(folder, server.pid) === 'ready') return true;
    if (!hasReported && Date.now() - started > 5000) {
      hasReported = true;
      log('PostgreSQL is recovering what a crash left behind; this can take minutes');
    }
    await sleep(8);
  }
  return false;
}

/**
 * @param {string} folder
 * @param {number | undefined} pid
 */
function statusOf(folder, pid) {
  try {
    const lines = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid ? lines[7]?.trim() : undefined;
  } catch {
    return undefined;
  }
}
