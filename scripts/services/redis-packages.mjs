import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from '../command.mjs';
import { StartError } from '../start-error.mjs';

/** @import { RedisProgram } from './redis-program.mjs' */

/**
 * Gets Redis on Debian and Ubuntu without root and without changing the system. The packages are fetched with a private
 * state of apt, unpacked into `folder`, and kept for other data folders, so that each machine fetches them once.
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
 * Each start gets a new folder, because a program of a killed start may still write into its own.
 * @param {string} folder
 */
function makeWorkFolder(folder) {
  const abandoned = readdirSync(folder).filter((name) => name.startsWith('fetch-'));
  for (const name of abandoned) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  return mkdtempSync(join(folder, 'fetch-'));
}

/**
 * @param {string} work
 * @returns {Promise<string>} the folder of the packages
 */
async function download(work) {
  mkdirSync(join(work, 'state', 'lists', 'partial'), { recursive: true });
  mkdirSync(join(work, 'cache', 'archives', 'partial'), { recursive: true });
  const options = [
    '-qq',
    ...['-o', `Dir::State=${join(work, 'state')}`, '-o', 'Dir::State::status=/var/lib/dpkg/status'],
    ...['-o', `Dir::Cache=${join(work, 'cache')}`, '-o', 'Debug::NoLocking=1'],
    // As root, apt would switch to a user that may not enter this folder.
    ...['-o', 'APT::Sandbox::User=root'],
    ...['-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20'],
  ];
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const updating = { env, failure: 'The package lists could not be fetched' };
  const warnings = await runQuietly('apt-get', [...options, 'update'], updating);
  // Apt resolves the dependencies, because they differ by release. With `--reinstall` it also fetches packages that the
  // system has already.
  const install = ['install', '--yes', '--download-only', '--reinstall', '--no-install-recommends'];
  await runQuietly('apt-get', [...options, ...install, 'redis-server', 'redis-tools'], {
    env,
    // Without a network, the update only warns, so its warnings become part of the error.
    failure: `${warnings}\nRedis could not be fetched from this system's package sources`.trim(),
  });
  return join(work, 'cache', 'archives');
}

/**
 * The packages are unpacked under another name and then renamed, so that an interrupted start leaves no incomplete
 * server.
 * @param {string} packages
 * @param {string} work
 * @param {string} target
 * @returns {Promise<boolean>} whether the unpacked server runs here
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
 * The unpacked server may stop working, for instance after an upgrade of the system.
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

/** There is one folder for each release, because machines may share a home directory. */
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
    // The home directory cannot be written, so the next data folder fetches the packages again.
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
