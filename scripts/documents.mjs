// Writes the documents that are made from the code. With --check, it reports those that differ from the code instead.
// With --config FILE, they are those of the service with the plugins of that configuration, and --out names their folder.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createApplication,
  openApiDocument,
  rootModule,
  RouteIndex,
  StartError as ServiceStartError,
} from '../dist/bundle/documents.js';
import { documentOptions } from './documents/options.mjs';
import { errorsPage, eventsPage, permissionsPage, retentionPage, settingsPage } from './documents/pages.mjs';
import { explain } from './start-error.mjs';

/** The settings without which the application cannot be created. It is not started, so it connects to no database. */
const WIRING = {
  DATABASE_URL: 'postgres://user@127.0.0.1:1/nothing',
  REDIS_URL: 'redis://127.0.0.1:1',
  SLIPWAY_PEPPER: 'wiring-needs-some-pepper-of-this-length',
  SLIPWAY_MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
  SLIPWAY_LINK_SECRETS: `1:${randomBytes(32).toString('base64')}`,
  LOG_LEVEL: 'silent',
};

process.exitCode = await main().catch((error) => {
  console.error(error instanceof ServiceStartError ? error.message : explain(error));
  return 1;
});
// The application has timers and sockets that would keep the process running.
process.exit();

async function main() {
  const { configFile, folder, isCheck } = documentOptions(process.argv.slice(2), process.env);
  Object.assign(process.env, WIRING);
  const app = await createApplication(await rootModule(configFile));
  const openApi = openApiDocument(app);
  const routes = app.get(RouteIndex).all();
  const ofEveryService = {
    'errors.md': errorsPage(),
    'events.md': eventsPage(),
    'permissions.md': permissionsPage(routes),
    'retention.md': retentionPage(),
    'settings.md': settingsPage(),
  };
  // The package, with which plugins make their documents, does not have this module.
  const ofSlipway = configFile ? undefined : await import('./documents/of-slipway.mjs');
  const documents = ofSlipway
    ? { ...inDocs(ofEveryService), ...(await ofSlipway.documentsOfSlipway(openApi, routes)) }
    : { ...ofEveryService, 'openapi.json': `${JSON.stringify(openApi, null, 2)}\n` };
  // A plugin's folder may have files of its author.
  const owned = ofSlipway?.OWNED_FOLDERS ?? [];
  if (!isCheck) return write(folder, documents, owned);
  return Math.max(await check(folder, documents, owned), ofSlipway ? reportBreaks(ofSlipway.breaksOfPlugins()) : 0);
}

/** @param {string[]} breaks */
function reportBreaks(breaks) {
  for (const sentence of breaks) console.error(sentence);
  return breaks.length === 0 ? 0 : 1;
}

/** @param {Record<string, string>} documents */
function inDocs(documents) {
  return Object.fromEntries(Object.entries(documents).map(([name, text]) => [`docs/${name}`, text]));
}

/**
 * Leaves a document alone that is the same, because the service is built again when one of its sources was written.
 * @param {string} folder @param {Record<string, string>} documents @param {string[]} owned
 */
async function write(folder, documents, owned) {
  for (const [path, text] of Object.entries(documents)) {
    const file = join(folder, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const path of await leftOver(folder, documents, owned)) await rm(join(folder, path));
  return 0;
}

/** @param {string} folder @param {Record<string, string>} documents @param {string[]} owned */
async function check(folder, documents, owned) {
  const stale = await leftOver(folder, documents, owned);
  for (const [path, text] of Object.entries(documents)) {
    if ((await readFile(join(folder, path), 'utf8').catch(() => '')) !== text) stale.push(path);
  }
  if (stale.length === 0) return 0;
  console.error(`No longer what the code says: ${stale.join(', ')}. Run \`npm run docs\` and commit what it writes.`);
  return 1;
}

/**
 * Returns the documents that the code no longer has.
 * @param {string} folder @param {Record<string, string>} documents @param {string[]} owned the folders with nothing else
 */
async function leftOver(folder, documents, owned) {
  const made = owned.map(async (name) => {
    const files = await readdir(join(folder, name)).catch(() => []);
    return files.map((file) => `${name}/${file}`).filter((path) => !(path in documents));
  });
  return (await Promise.all(made)).flat();
}
