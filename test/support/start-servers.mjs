import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/services/postgres.mjs';
import { startRedis } from '../../scripts/services/redis.mjs';
import { ensureBuilt } from '../../scripts/setup.mjs';
import { servers } from './servers.mjs';

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
  await Promise.all([startTestPostgres(folder, durable), startTestRedis(folder)]);
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
