import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/services/postgres.mjs';
import { startRedis } from '../../scripts/services/redis.mjs';
import { ensureBuilt } from '../../scripts/setup.mjs';
import { servers } from './servers.mjs';

/** Files there are memory, on Linux. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * One PostgreSQL and one Redis for all test files, and the build that real processes run.
 * @param {{ durable: boolean }} options durable: what PostgreSQL acknowledges is on disk (fsync)
 */
export async function startServers({ durable }) {
  await ensureBuilt(console.log);
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  // PostgreSQL runs as another user when this is root.
  chmodSync(folder, 0o755);
  servers.folder = folder;
  process.env.TEST_FOLDER = folder;
  const databases = durable ? folder : folderInMemory(folder);
  servers.databases = databases;
  await Promise.all([startTestPostgres(databases, durable), startTestRedis(folder)]);
}

/**
 * Every test file gets a database: seven hundred small files, which a disk takes longer to make than many tests run.
 * @param {string} otherwise where there is no such place, or little room in it
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

/** What they left there would stay in memory for good. */
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
