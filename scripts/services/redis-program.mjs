import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StartError } from '../start-error.mjs';
import { fetchRedis } from './redis-packages.mjs';

/** @typedef {{ command: string, env: NodeJS.ProcessEnv }} RedisProgram */

const NAMES = ['redis-server', 'valkey-server'];

/**
 * Finds the Redis of this machine. On Debian and Ubuntu it is fetched from the package sources if it is missing.
 * @param {{ dataDir: string, log: (line: string) => void }} options
 * @returns {Promise<RedisProgram>}
 */
export async function findRedis({ dataDir, log }) {
  const installed = NAMES.map(onPath).find(Boolean);
  if (installed) return { command: installed, env: process.env };
  if (onPath('apt-get') && onPath('dpkg-deb')) return fetchRedis({ folder: join(dataDir, 'redis'), log });
  throw new StartError(
    `Redis is missing. Install it (${installCommand()}) or name one of yours: REDIS_URL=redis://host:6379 npm start`,
  );
}

/** @param {string} name */
function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installCommand() {
  if (process.platform === 'darwin') return 'brew install redis';
  const system = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const family = (/^ID=(.*)$/m.exec(system)?.[1] ?? '') + (/^ID_LIKE=(.*)$/m.exec(system)?.[1] ?? '');
  if (/debian|ubuntu/.test(family)) return 'sudo apt-get install redis-server';
  if (/fedora|rhel|centos/.test(family)) return 'sudo dnf install valkey';
  if (/suse/.test(family)) return 'sudo zypper install valkey';
  if (/arch/.test(family)) return 'sudo pacman -S valkey';
  if (/alpine/.test(family)) return 'sudo apk add valkey';
  return "the package redis or valkey of this system's package manager";
}
