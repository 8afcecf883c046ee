import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { readJson } from '../json-file.mjs';
import { commandLineOf } from '../services/leftover.mjs';
import { writePrivateFile } from '../private-file.mjs';
import { StartError } from '../start-error.mjs';

/**
 * The content of `launcher.json`. The lock is a loopback port: the launcher that listens on it owns the folder, and the
 * system frees the port however the launcher dies. The token distinguishes this folder's launcher from another program
 * on the same port.
 * @typedef {object} LockRecord
 * @property {number} port
 * @property {string} token
 * @property {number} [pid] the launcher's process id, which stays in the file after a crash
 * @property {string} [databaseUrl] for programs such as psql
 * @property {string} [redisUrl]
 */

/**
 * @typedef {object} LockedFolder
 * @property {boolean} crashed whether the last launcher ended without releasing the folder
 * @property {(urls: { databaseUrl?: string, redisUrl?: string }) => void} publishAddresses
 * @property {() => void} release
 */

/** @param {string} dataDir */
export function makeDataFolder(dataDir) {
  const made = mkdirSync(dataDir, { recursive: true });
  // PostgreSQL refuses to run as root. The account that it then uses must pass through this folder to reach its own.
  if (made) chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/**
 * Locks the data folder, so that only one launcher uses it.
 * @param {string} dataDir
 * @returns {Promise<LockedFolder>}
 */
export async function lockDataFolder(dataDir) {
  const path = join(dataDir, 'launcher.json');
  for (;;) {
    const record = readRecord(path);
    const lock = record ? await listen(record.port, record.token) : await makeLock(path);
    if (lock) return lockedFolder(lock, path, record?.pid !== undefined);
    if (record) await refuseIfLocked(record, dataDir);
    if (record) discard(path, record);
  }
}

/**
 * @typedef {object} Lock
 * @property {number} port
 * @property {string} token
 * @property {() => void} close
 */

/**
 * @param {string} path
 * @returns {Promise<Lock | undefined>}
 */
async function makeLock(path) {
  const lock = await listen(0, randomBytes(24).toString('base64url'));
  if (!lock) return undefined;
  const mine = `${path}.${process.pid}`;
  writePrivateFile(mine, JSON.stringify({ port: lock.port, token: lock.token }));
  try {
    // A link is used because it fails if another launcher made one first.
    linkSync(mine, path);
    return lock;
  } catch (error) {
    lock.close();
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isTaken) throw error;
    return undefined;
  } finally {
    rmSync(mine);
  }
}

/**
 * @param {Lock} lock
 * @param {string} path
 * @param {boolean} crashed
 * @returns {LockedFolder}
 */
function lockedFolder({ port, token, close }, path, crashed) {
  /** @param {object} more */
  const write = (more) => writePrivateFile(path, `${JSON.stringify({ port, token, ...more }, null, 2)}\n`);
  write({ pid: process.pid });
  return {
    crashed,
    publishAddresses: (urls) => write({ pid: process.pid, ...urls }),
    release() {
      write({});
      close();
    },
  };
}

/**
 * @param {number} port
 * @param {string} token
 * @returns {Promise<Lock | undefined>} undefined if the port is taken
 */
function listen(port, token) {
  return new Promise((resolve, reject) => {
    const server = createServer((caller) => {
      caller.on('error', () => {});
      caller.once('data', (data) => caller.end(data.toString() === token ? `slipway ${process.pid}` : ''));
    });
    server.unref();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = /** @type {import('node:net').AddressInfo} */ (server.address());
      resolve({ port: address.port, token, close: () => server.close() });
    });
  });
}

/**
 * @param {LockRecord} record
 * @param {string} dataDir
 */
async function refuseIfLocked(record, dataDir) {
  const answer = await ask(record);
  const suspended = answer === 'silence' && record.pid && commandLineOf(record.pid).includes('start.mjs');
  if (!suspended && !/^slipway \d+$/.test(answer)) return;
  const owner = suspended ? `${record.pid}, which does not answer` : answer.replace('slipway ', '');
  throw new StartError(
    `The data folder ${dataDir} is in use by another Slipway (process ${owner}). ` +
      'Stop that one, or take another folder and port: DATA_DIR=.data-2 PORT=3001 npm start',
  );
}

/**
 * @param {LockRecord} record
 * @returns {Promise<string>}
 */
function ask({ port, token }) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(token));
    socket.setTimeout(1500, () => socket.destroy(new Error('silence')));
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', (error) => resolve(error.message));
    socket.on('end', () => resolve(answer));
  });
}

/**
 * Removes the record of a dead launcher, whose port another program may have by now. The record is renamed first,
 * because a second launcher may be replacing it at the same moment. If the renamed record is not the stale one, it is
 * put back.
 * @param {string} path
 * @param {LockRecord} stale
 */
function discard(path, stale) {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readRecord(aside)?.token !== stale.token) linkSync(aside, path);
  } catch {
    // Another launcher was faster, and the next round reads its record.
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * @param {string} path
 * @returns {LockRecord | undefined} undefined if there is no record or a damaged one
 */
function readRecord(path) {
  try {
    const record = /** @type {LockRecord} */ (readJson(path));
    if (typeof record.token === 'string' && record.port > 0 && record.port < 65536) return record;
    rmSync(path);
  } catch (error) {
    if (error instanceof SyntaxError) rmSync(path, { force: true });
  }
  return undefined;
}
