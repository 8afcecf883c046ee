import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../start-error.mjs';

/** @typedef {{ name: string, uid: number, gid: number }} Account */

/**
 * Finds the account that runs PostgreSQL if the launcher is root, because PostgreSQL refuses to be root. It is the
 * owner of the existing files, or the system's own account for PostgreSQL, which is created if it is missing.
 * @param {{ uid: number, gid: number }} [owner] the owner of the files
 * @returns {Account}
 */
export function findAccount(owner) {
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const account = accountNamed('postgres') ?? accountNamed('_postgres') ?? createAccount();
  if (account) return account;
  throw new StartError(
    'PostgreSQL does not run as root, and an account for it could not be made. Start Slipway as an ordinary user, ' +
      'or name a PostgreSQL of yours: DATABASE_URL=postgresql://user:password@host/database npm start',
  );
}

/**
 * @param {string} name
 * @returns {Account | undefined}
 */
function accountNamed(name) {
  const [uid, gid] = ['-u', '-g'].map((which) => spawnSync('id', [which, name], { encoding: 'utf8' }).stdout?.trim());
  return uid && gid ? { name, uid: Number(uid), gid: Number(gid) } : undefined;
}

function createAccount() {
  const nowhere = ['--home-dir', '/nonexistent', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  spawnSync('useradd', ['--system', '--user-group', ...nowhere, 'postgres']);
  return accountNamed('postgres');
}

/**
 * Modes, access lists and mount options all decide together, so the test tries the access.
 * @param {string} path
 * @param {Account} account
 * @param {'-w' | '-x'} [how]
 */
export function canUse(path, { uid, gid }, how = '-w') {
  const { error, status } = spawnSync('/bin/sh', ['-c', `test ${how} "$0"`, path], { uid, gid, cwd: '/' });
  if (error) {
    throw new StartError(
      `PostgreSQL does not run as root, and this root cannot become another user (${error.message}). ` +
        'Start Slipway as an ordinary user.',
    );
  }
  return status === 0;
}

/**
 * Returns the binaries in a place where the account can run them. They are copied if the account cannot enter their
 * folder.
 * @param {string} folder
 * @param {string} copy
 * @param {Account} account
 */
export function openToAll(folder, copy, account) {
  if (canUse(join(folder, 'bin', 'postgres'), account, '-x')) return folder;
  if (!existsSync(copy)) copyAtomically(folder, copy);
  if (canUse(join(copy, 'bin', 'postgres'), account, '-x')) return copy;
  throw new StartError(
    `The user ${account.name} cannot run PostgreSQL from ${copy}. Start Slipway as an ordinary user.`,
  );
}

/**
 * @param {string} folder
 * @param {string} copy
 */
function copyAtomically(folder, copy) {
  const parent = dirname(copy);
  if (mkdirSync(parent, { recursive: true })) chmodSync(parent, 0o755);
  const unfinished = `${copy}.unfinished-${process.pid}`;
  cpSync(folder, unfinished, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', unfinished]);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another launcher was faster.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
}
