import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configFile } from './launcher/config-file.mjs';
import { startApp } from './launcher/app.mjs';
import { lockDataFolder, makeDataFolder } from './launcher/data-folder.mjs';
import { offerModel } from './launcher/offer-model.mjs';
import { openings, RECEIVER } from './launcher/openings.mjs';
import { refuseTakenPort } from './launcher/port.mjs';
import { ensureSecrets } from './launcher/secrets.mjs';
import { welcome } from './launcher/welcome.mjs';
import { say } from './progress.mjs';
import { inProject } from './project.mjs';
import { keepRunning } from './services/keep-running.mjs';
import { startPostgres } from './services/postgres.mjs';
import { startRedis } from './services/redis.mjs';
import { ensureBuilt, ensureInstalled, refuseOldNode } from './setup.mjs';
import { explain } from './start-error.mjs';
import { onStopSignal } from './stop-signal.mjs';

/** @import { LockedFolder } from './launcher/data-folder.mjs' */
/** @typedef {Awaited<ReturnType<typeof keepRunning>>} KeptServer */
/** @typedef {Awaited<ReturnType<typeof startRedis>>} RunningRedis */

const { env } = process;
const ownsDatabase = !env.DATABASE_URL;
const ownsRedis = !env.REDIS_URL;
const hasConsole = env.CONSOLE !== 'off';
const dataDir = resolve(env.DATA_DIR || inProject('.data'));

/** @type {LockedFolder | undefined} */
let folder;
/** @type {Promise<KeptServer | undefined>[]} */
let servers = [];
/** @type {ReturnType<typeof startApp> | undefined} */
let app;
let isEnding = false;

onStopSignal(() => void end(0), endAtOnce);
start().catch((error) => {
  if (!isEnding) console.error(explain(error));
  return end(1);
});

async function start() {
  refuseOldNode();
  const config = configFile(process.argv.slice(2), env);
  makeDataFolder(dataDir);
  // Only servers of its own need the folder for this launcher alone. Without them, two launchers can share it.
  if (ownsDatabase || ownsRedis) folder = await lockDataFolder(dataDir);
  await refuseTakenPort({
    host: env.HOST || '127.0.0.1',
    port: env.PORT || '3000',
    isCrashed: folder?.crashed ?? false,
  });
  const settings = ownSettings();
  const node = await ensureInstalled(say, 'starting');
  if (isEnding) return;

  servers = [postgres(), redis()];
  const [[database, queue]] = await Promise.all([Promise.all(servers), ensureBuilt(say, { withConsole: hasConsole })]);
  if (isEnding) return;
  folder?.publishAddresses({ databaseUrl: database?.url, redisUrl: queue?.url });

  app = startApp({
    node,
    lifelines: [database, queue].flatMap((server) => (server ? [server.lifeline] : [])),
    env: {
      ...env,
      ...settings,
      ...config,
      DATA_DIR: dataDir,
      DATABASE_URL: database?.url ?? env.DATABASE_URL,
      REDIS_URL: queue?.url ?? env.REDIS_URL,
    },
  });
  app.exited.then(endWithApp, failWith);
  const url = await app.ready;
  if (isEnding) return;
  say(`Slipway is ready after ${(performance.now() / 1000).toFixed(1)} s`);
  const { OUTBOUND_ALLOW_CIDRS: opened } = settings;
  if (opened)
    say(`On this machine, requests of tenants reach only ${opened}. Callbacks of the demo go to ${RECEIVER}.`);
  const hasDemo = ownsDatabase || Boolean(env.SLIPWAY_DEMO);
  const isOnTerminal = process.stdout.isTTY;
  say(welcome({ url, dataDir, hasConsole, isOnTerminal, hasDemo, hasOwnSecrets: ownsDatabase }));
  const adminKey = env.SLIPWAY_ADMIN_KEY || settings.SLIPWAY_ADMIN_KEY;
  if (hasDemo && adminKey) await offerModel({ url, dataDir, adminKey, say });
}

async function postgres() {
  if (!ownsDatabase) return undefined;
  return keepRunning({
    name: 'PostgreSQL',
    start: (before) => startPostgres({ dataDir, log: say, port: before?.port }),
    log: say,
    onFailure: () => void end(1),
  });
}

async function redis() {
  if (!ownsRedis) return undefined;
  return keepRunning({
    name: 'Redis',
    start: (/** @type {RunningRedis | undefined} */ before) =>
      startRedis({ dataDir, log: say, port: before?.port, password: before?.password }),
    log: say,
    onFailure: () => void end(1),
  });
}

/**
 * Returns the settings that the user has left out. The process stops without a delay, because it has no balancer.
 * Secrets and the demo are only for the embedded database: a user with a database also has its secrets, and wants no
 * demo in it.
 */
function ownSettings() {
  const alone = { STOP_DELAY_SECONDS: '0' };
  const settings = ownsDatabase
    ? {
        ...alone,
        ...ensureSecrets(dataDir),
        SLIPWAY_DEMO: '1',
        ...openings(env),
      }
    : alone;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !env[name]));
}

/** @param {number} code */
function endWithApp(code) {
  if (!isEnding) say(`The app has ended (exit code ${code})`);
  return end(code);
}

/** @param {unknown} error */
function failWith(error) {
  console.error(explain(error));
  return end(1);
}

/**
 * Stops the app before the servers, because the app needs them to finish its work.
 * @param {number} code
 */
async function end(code) {
  if (isEnding) return;
  isEnding = true;
  if (app) say('Stopping');
  await app?.stop();
  await Promise.race([Promise.allSettled(servers.map(async (server) => (await server)?.stop())), sleep(20_000)]);
  folder?.release();
  process.exit(code);
}

/** Kills the app and exits. The guard processes stop the servers. */
function endAtOnce() {
  app?.kill();
  process.exit(130);
}
