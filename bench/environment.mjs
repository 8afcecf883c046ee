import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NODE_OPTIONS } from '../scripts/launcher/node-options.mjs';
import { inProject } from '../scripts/project.mjs';
import { startPostgres } from '../scripts/services/postgres.mjs';
import { startRedis } from '../scripts/services/redis.mjs';
import { ensureBuilt } from '../scripts/setup.mjs';
import { StartError } from '../scripts/start-error.mjs';
import { arePeersInstalled } from './peers.mjs';
import { verdictOf } from './figures.mjs';
import { hasCitus, settingsOfCluster } from './given-database.mjs';
import { textOption } from './options.mjs';
import { IS_PROFILING, printProfile, profilingInto } from './profile.mjs';

/** @import { Figure } from './figures.mjs' */

/**
 * A program that is measured, or that measures, in a process of its own. Messages go over IPC.
 * @typedef {object} Program
 * @property {string} url the address on which it listens; empty if it does not
 * @property {(question: object | string) => Promise<unknown>} ask sends a message and waits for the next one
 * @property {() => number} cpuSeconds the computing time of all its cores so far; NaN if the system does not report it
 * @property {() => number} residentBytes the memory that it has in use; NaN if the system does not report it
 * @property {() => Promise<void>} stop
 */

/** The limit is so high that requests are counted and never refused. */
const NO_LIMIT = '1000000000';
const STOP_WITHIN_MS = 10_000;

/**
 * PostgreSQL and Redis in a temporary folder, with the durability of production, and the programs that use them. With
 * `--database`, the programs use that database instead.
 */
export class Environment {
  adminKey = randomBytes(32).toString('base64url');
  pepper = randomBytes(32).toString('base64url');
  masterKeys = `1:${randomBytes(32).toString('base64')}`;
  linkSecrets = `1:${randomBytes(32).toString('base64')}`;
  databaseUrl = '';
  /** Whether the database is on the coordinator of a Citus cluster. */
  isCluster = false;
  redisUrl = '';
  /** @type {Figure[]} */
  figures = [];
  #folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  /** @type {NodeJS.ProcessEnv} */
  #ofDatabase = {};
  /** @type {(() => Promise<void>)[]} */
  #stops = [];
  /** @type {{ folder: string, readyAt: number }[]} */
  #profiles = [];
  /** @type {Promise<void> | undefined} */
  #closing;

  async start() {
    await ensureBuilt(console.log);
    // Root starts PostgreSQL as another user, which needs to pass through this folder to reach its files.
    chmodSync(this.#folder, 0o711);
    const server = { dataDir: this.#folder, log: () => {} };
    const given = textOption('database');
    const [postgres, redis] = await Promise.all([
      given === undefined ? startPostgres(server) : { url: given, stop: async () => {} },
      startRedis(server),
    ]);
    this.#stops.push(
      () => postgres.stop(),
      () => redis.stop(),
    );
    this.databaseUrl = postgres.url;
    this.redisUrl = redis.url;
    this.isCluster = given !== undefined && (await hasCitus(given));
    this.#ofDatabase = this.isCluster ? await settingsOfCluster(postgres.url) : { DATABASE_URL: postgres.url };
  }

  /**
   * Prints whether a target is met, or why it is not measured, and keeps the figure for the table of all benchmarks.
   * @param {Figure} figure
   */
  judge(figure) {
    this.figures.push(figure);
    const verdict = figure.isMet === undefined ? `Not measured: ${figure.ours}` : verdictOf(figure);
    console.log(`${figure.work}. Target: ${figure.target}. ${verdict[0]?.toUpperCase()}${verdict.slice(1)}.`);
  }

  /**
   * Starts one process of the service.
   * @param {NodeJS.ProcessEnv} [settings] settings in addition to those that every benchmark needs
   * @param {string} [program] the program that makes the service
   */
  async startService(settings = {}, program = inProject('dist', 'bundle', 'main.js')) {
    const given = { ...this.#settings(), ...settings };
    if (!IS_PROFILING) return this.startProgram(program, given, NODE_OPTIONS);
    const folder = join(this.#folder, `profile-${this.#profiles.length}`);
    const service = await this.startProgram(program, given, [...NODE_OPTIONS, ...profilingInto(folder)]);
    this.#profiles.push({ folder, readyAt: Number(process.hrtime.bigint() / 1000n) });
    return service;
  }

  /**
   * Starts the program that does the same work by hand, with the same settings.
   * @param {string} name
   * @param {NodeJS.ProcessEnv} [settings]
   */
  startFloor(name, settings = {}) {
    return this.startProgram(inProject('bench', `${name}-floor.mjs`), { ...this.#settings(), ...settings });
  }

  /**
   * Starts other software of the same kind, or returns undefined if it cannot be installed here.
   * @param {string} name
   * @param {NodeJS.ProcessEnv} [settings]
   */
  async startPeer(name, settings = {}) {
    if (!(await arePeersInstalled())) return undefined;
    return this.startProgram(inProject('bench', 'peers', `${name}.mjs`), { ...this.#settings(), ...settings });
  }

  #settings() {
    return {
      ...this.#ofDatabase,
      DATABASE_POOL: '20',
      REDIS_URL: this.redisUrl,
      DATA_DIR: this.#folder,
      PORT: '0',
      STOP_DELAY_SECONDS: '0',
      SLIPWAY_PEPPER: this.pepper,
      SLIPWAY_MASTER_KEYS: this.masterKeys,
      SLIPWAY_LINK_SECRETS: this.linkSecrets,
      SLIPWAY_ADMIN_KEY: this.adminKey,
      RATE_LIMIT_DEFAULT: NO_LIMIT,
      RATE_LIMIT_LEDGER: NO_LIMIT,
      RATE_LIMIT_MESSAGES: NO_LIMIT,
    };
  }

  /**
   * @param {string} path a program that sends `{ type: 'ready', url }` once it is ready
   * @param {NodeJS.ProcessEnv} [settings]
   * @param {string[]} [nodeOptions]
   * @returns {Promise<Program>}
   */
  async startProgram(path, settings = {}, nodeOptions = []) {
    const logFile = join(this.#folder, `${basename(path)}.${this.#stops.length}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [...nodeOptions, path], {
      env: { ...withoutSettings(process.env), ...settings },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const stop = async () => {
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(impatience);
    };
    this.#stops.push(stop);
    /** @returns {Promise<unknown>} */
    const nextMessage = () =>
      new Promise((resolve, reject) => {
        const onExit = () => reject(new StartError(`${path} has ended:\n${lastLines(logFile)}`));
        child.once('exit', onExit);
        child.once('message', (message) => {
          child.off('exit', onExit);
          resolve(message);
        });
      });
    const { url } = /** @type {{ url: string }} */ (await nextMessage());
    return {
      url,
      stop,
      cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
      residentBytes: () => residentBytesOf(child.pid ?? 0),
      ask(question) {
        const answer = nextMessage();
        child.send(question);
        return answer;
      },
    };
  }

  /** Stops the programs in the reverse order of their start and removes their files. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    for (const stop of this.#stops.reverse()) await stop();
    for (const { folder, readyAt } of this.#profiles) printProfile(folder, readyAt);
    try {
      // If the other user cannot pass through this folder, `postgres` is a link to a folder elsewhere.
      rmSync(realpathSync(join(this.#folder, 'postgres')), { recursive: true, force: true });
    } catch {
      // PostgreSQL was never started.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Keeps the reader's own settings of the service away from the measured programs, because they would change the
 * figures.
 * @param {NodeJS.ProcessEnv} environment
 */
function withoutSettings({ PATH, HOME, TMPDIR, LD_LIBRARY_PATH, NODE_OPTIONS }) {
  return { PATH, HOME, TMPDIR, LD_LIBRARY_PATH, NODE_OPTIONS };
}

/** @param {number} pid */
function cpuSecondsOf(pid) {
  try {
    // The process's name may contain spaces, so counting begins after it: user and system time are the 14th and 15th
    // field.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}

/** @param {number} pid */
function residentBytesOf(pid) {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return NaN;
  }
}

/** @param {string} logFile */
function lastLines(logFile) {
  return readFileSync(logFile, 'utf8').trim().split('\n').slice(-20).join('\n');
}
