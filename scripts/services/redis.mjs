import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writePrivateFile } from '../private-file.mjs';
import { StartError } from '../start-error.mjs';
import { stopLeftover } from './leftover.mjs';
import { findRedis } from './redis-program.mjs';
import { freePort, startServerProcess } from './server-process.mjs';

/** @import { RunningServer, ServerProcess } from './server-process.mjs' */

/**
 * Starts a Redis whose data is in the data folder.
 * @param {object} options
 * @param {string} options.dataDir
 * @param {(line: string) => void} [options.log]
 * @param {number} [options.port] a free one by default
 * @param {string} [options.password] a new one by default
 * @returns {Promise<RunningServer & { password: string }>}
 */
export async function startRedis({
  dataDir,
  log = console.log,
  port,
  password = randomBytes(24).toString('base64url'),
}) {
  const folder = join(dataDir, 'redis');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const program = await findRedis({ dataDir, log });
  await stopEarlierServer(folder);
  const server = await launch({ program, folder, logFile: join(dataDir, 'redis.log'), password, port, log });
  return {
    url: `redis://:${password}@127.0.0.1:${server.port}`,
    port: server.port,
    password,
    exited: server.process.exited,
    lifeline: server.process.lifeline,
    stop: server.process.stop,
  };
}

/** @param {string} folder */
function stopEarlierServer(folder) {
  // Redis writes its address over its command line, so the port of the last start identifies this folder's server.
  const port = portOf(join(folder, 'redis.conf'));
  return stopLeftover({
    name: 'Redis',
    pidFile: join(folder, 'redis.pid'),
    isOurs: (commandLine) =>
      /(redis|valkey)-server/.test(commandLine) &&
      (commandLine.includes(`127.0.0.1:${port} `) || commandLine.includes(join(folder, 'redis.conf'))),
    signals: ['SIGTERM', 'SIGKILL'],
  });
}

/** @param {string} configuration */
function portOf(configuration) {
  if (!existsSync(configuration)) return undefined;
  return /^port (\d+)$/m.exec(readFileSync(configuration, 'utf8'))?.[1];
}

/**
 * @param {object} options
 * @param {import('./redis-program.mjs').RedisProgram} options.program
 * @param {string} options.folder
 * @param {string} options.logFile
 * @param {string} options.password
 * @param {number} [options.port]
 * @param {(line: string) => void} options.log
 */
async function launch({ program, folder, logFile, password, port: wanted, log }) {
  const configuration = join(folder, 'redis.conf');
  const pidFile = join(folder, 'redis.pid');
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted ?? (await freePort());
    writePrivateFile(configuration, configurationOf({ folder, pidFile, port, password }));
    const process = startServerProcess({
      command: program.command,
      args: [configuration],
      options: { cwd: folder, env: program.env },
      logFile,
      pidFile,
      stopSignals: ['SIGTERM', 'SIGKILL'],
    });
    if (await isReady(process, port, password)) return { process, port };
    const reason = process.lastWords();
    const isPortTaken = /address already in use/i.test(reason);
    const canGoOn = isPortTaken || (isDamage(reason) && setDataAside(folder, log));
    if (!canGoOn || attempt === 3) throw new StartError(`Redis did not start. ${logFile} says:\n${reason}`);
    await sleep(100);
  }
}

/** @param {string} reason */
function isDamage(reason) {
  return /append only file|AOF|RDB|loading DB/.test(reason);
}

/**
 * Moves data that a power cut has damaged out of the way. Redis has no work of its own, so damaged data must not keep
 * Slipway from starting.
 * @param {string} folder
 * @param {(line: string) => void} log
 * @returns {boolean} whether there was any data
 */
function setDataAside(folder, log) {
  // Redis 7 keeps its data in the folder, and earlier releases keep it in the file.
  const data = ['appendonlydir', 'appendonly.aof'].map((name) => join(folder, name)).find(existsSync);
  if (!data) return false;
  const aside = `${data}.damaged-${Date.now()}`;
  renameSync(data, aside);
  log(`Redis could not read its data, now in ${aside}; it starts empty, and the queues are filled again`);
  return true;
}

/** @param {{ folder: string, pidFile: string, port: number, password: string }} options */
function configurationOf({ folder, pidFile, port, password }) {
  return [
    '# Written again at every start.',
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${quote(folder)}`,
    `pidfile ${quote(pidFile)}`,
    'daemonize no',
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    '',
  ].join('\n');
}

/** @param {string} path */
function quote(path) {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`;
}

/**
 * @param {ServerProcess} server
 * @param {number} port
 * @param {string} password
 */
async function isReady(server, port, password) {
  while (!server.hasExited()) {
    if ((await ping(port, password)) === '+OK\r\n+PONG\r\n+OK\r\n') return true;
    await sleep(8);
  }
  return false;
}

/**
 * @param {number} port
 * @param {string} password
 * @returns {Promise<string>}
 */
function ping(port, password) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\nPING\r\nQUIT\r\n`));
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => resolve(''));
    socket.on('close', () => resolve(answer));
  });
}
