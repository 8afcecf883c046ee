import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/services/postgres.mjs';
import { startRedis } from '../../scripts/services/redis.mjs';
import { ensureBuilt } from '../../scripts/setup.mjs';
import { servers } from './servers.mjs';

/** On Linux, files in this folder are in memory. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * Starts one PostgreSQL and one Redis for all test files, and builds the service for tests of real processes.
 * @param {{ durable: boolean }} options durable: whether commits are on disk when PostgreSQL acknowledges them (fsync)
 */
export async function startServers({ durable }) {
  await ensureBuilt(console.log);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  // If this process is root, PostgreSQL runs as another user, which must pass through the folder.
  chmodSync(folder, 0o755);
  servers.folder = folder;
  process.env.TEST_FOLDER = folder;
  const databases = durable ? folder : folderInMemory(folder);
  servers.databases = databases;
  await Promise.all([startTestPostgres(databases, durable), startTestRedis(folder)]);
}

/**
 * Returns a folder in memory. Every test file gets a database of seven hundred small files, and on a disk these take
 * longer to make than many tests run.
 * @param {string} otherwise the folder to use if there is no memory folder or too little room in it
 */
function folderInMemory(otherwise) {
  if (!existsSync(MEMORY)) return otherwise;
  forgetKilledRuns();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, freemem()) < ROOM_BYTES) return otherwise;
  const folder = mkdtempSync(join(MEMORY, `slipway-test-${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes the folders of runs that were killed, which would otherwise stay in memory for ever. */
function forgetKilledRuns() {
  for (const name of readdirSync(MEMORY)) {
    const pid = /^slipway-test-(\d+)-/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @param {string} folder
 * @param {boolean} durable
 */
async function startTestPostgres(folder, durable) {
  servers.postgres = await startPostgres({ dataDir: folder, durable, log: silent });
  process.env.TEST_POSTGRES_URL = servers.postgres.url;
}

/** @param {string} folder */
async function startTestRedis(folder) {
  const dataDir = join(folder, 'redis-server');
  mkdirSync(dataDir);
  servers.redis = await startRedis({ dataDir, log: silent });
  process.env.TEST_REDIS_URL = servers.redis.url;
}

function silent() {}
