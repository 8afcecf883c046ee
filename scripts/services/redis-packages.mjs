import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from '../command.mjs';
import { StartError } from '../start-error.mjs';

/** @import { RedisProgram } from './redis-program.mjs' */

/**
 * Redis for Debian and Ubuntu without root and without touching the system: its packages are fetched with a private
 * apt state and unpacked into `folder`; they are kept for other data folders, so that each machine fetches them once.
 * @param {{ folder: string, log: (line: string) => void }} options
 * @returns {Promise<RedisProgram>}
 */
export async function fetchRedis({ folder, log }) {
  const unpacked = join(folder, 'server');
  if (existsSync(unpacked) && (await runs(unpacked))) return programIn(unpacked);
  const work = makeWorkFolder(folder);
  try {
    const kept = packageCache();
    if (kept && existsSync(kept) && (await unpack(kept, work, unpacked))) return programIn(unpacked);
    log("Fetching Redis from this system's package sources");
    const packages = await download(work);
    if (!(await unpack(packages, work, unpacked)))
      throw new StartError('The fetched Redis does not run on this system');
    if (kept) keep(packages, kept);
    return programIn(unpacked);
  } catch (error) {
    throw withWayOut(error);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * A new one each time: what a killed start was running may still write into its own.
 * @param {string} folder
 */
function makeWorkFolder(folder) {
  const abandoned = readdirSync(folder).filter((name) => name.startsWith('fetch-'));
  for (const name of abandoned) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  return mkdtempSync(join(folder, 'fetch-'));
}

/**
 * @param {string} work
 * @returns {Promise<string>} the folder with the packages
 */
async function download(work) {
  mkdirSync(join(work, 'state', 'lists', 'partial'), { recursive: true });
  mkdirSync(join(work, 'cache', 'archives', 'partial'), { recursive: true });
  const options = [
    '-qq',
    ...['-o', `Dir::State=${join(work, 'state')}`, '-o', 'Dir::State::status=/var/lib/dpkg/status'],
    ...['-o', `Dir::Cache=${join(work, 'cache')}`, '-o', 'Debug::NoLocking=1'],
    // As root, apt would fetch as a user who may not enter this folder.
    ...['-o', 'APT::Sandbox::User=root'],
    ...['-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20'],
  ];
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const updating = { env, failure: 'The package lists could not be fetched' };
  const warnings = await runQuietly('apt-get', [...options, 'update'], updating);
  // Resolved by apt, since what Redis needs differs by release; reinstall, so that parts already there come as well.
  const install = ['install', '--yes', '--download-only', '--reinstall', '--no-install-recommends'];
  await runQuietly('apt-get', [...options, ...install, 'redis-server', 'redis-tools'], {
    env,
    // Without a network the update only warns.
    failure: `${warnings}\nRedis could not be fetched from this system's package sources`.trim(),
  });
  return join(work, 'cache', 'archives');
}

/**
 * Aside and renamed, so that an interrupted start leaves no half of it.
 * @param {string} packages
 * @param {string} work
 * @param {string} target
 * @returns {Promise<boolean>} whether what came out runs here
 */
async function unpack(packages, work, target) {
  const unfinished = mkdtempSync(join(work, 'server-'));
  try {
    for (const file of readdirSync(packages).filter((name) => name.endsWith('.deb'))) {
      await runQuietly('dpkg-deb', ['-x', join(packages, file), unfinished]);
    }
  } catch {
    return false;
  }
  if (!(await runs(unfinished))) return false;
  rmSync(target, { recursive: true, force: true });
  renameSync(unfinished, target);
  return true;
}

/**
 * No longer so after an upgrade of the system, for instance.
 * @param {string} unpacked
 */
async function runs(unpacked) {
  const { command, env } = programIn(unpacked);
  return runQuietly(command, ['--version'], { env }).then(
    () => true,
    () => false,
  );
}

/**
 * @param {string} unpacked
 * @returns {RedisProgram}
 */
function programIn(unpacked) {
  const roots = [join(unpacked, 'usr', 'lib'), join(unpacked, 'lib')].filter(existsSync);
  const libraries = roots.flatMap((root) => [
    root,
    ...readdirSync(root)
      .filter((name) => name.includes('-linux-'))
      .map((name) => join(root, name)),
  ]);
  const path = [...libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return { command: join(unpacked, 'usr', 'bin', 'redis-server'), env: { ...process.env, LD_LIBRARY_PATH: path } };
}

/** One folder a release, since a home directory may be shared by machines. */
function packageCache() {
  const system = readFileSync('/etc/os-release', 'utf8');
  const [name, release] = ['ID', 'VERSION_ID'].map((key) => new RegExp(`^${key}="?([\\w.]+)`, 'm').exec(system)?.[1]);
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return name && join(caches, 'slipway', `redis-${name}-${release ?? 'rolling'}-${arch()}`);
}

/**
 * @param {string} packages
 * @param {string} kept
 */
function keep(packages, kept) {
  const unfinished = `${kept}.${process.pid}.unfinished`;
  try {
    cpSync(packages, unfinished, { recursive: true, filter: (path) => !path.endsWith('partial') });
    rmSync(kept, { recursive: true, force: true });
    renameSync(unfinished, kept);
  } catch {
    // No home directory to write to: the next data folder fetches again.
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** @param {unknown} error */
function withWayOut(error) {
  if (!(error instanceof StartError)) return error;
  return new StartError(
    `${error.message}\nInstall Redis (sudo apt-get install redis-server) or name one of yours: ` +
      'REDIS_URL=redis://host:6379 npm start',
  );
}
