// Writes the documents that are made from the code. With --check, it reports those that differ from the code instead.
// With --config FILE, they are those of the service with the plugins of that configuration, and --out names their folder.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError as ServiceStartError } from '../dist/src/kernel/start-error.js';
import { createApplication } from '../dist/src/platform/application.js';
import { openApiDocument } from '../dist/src/platform/openapi/openapi.js';
import { RouteIndex } from '../dist/src/platform/route/route-index.js';
import { rootModule } from '../dist/src/root-module.js';
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
  const ofEveryService = {
    'openapi.json': `${JSON.stringify(openApi, null, 2)}\n`,
    'errors.md': errorsPage(),
    'events.md': eventsPage(),
    'permissions.md': permissionsPage(app.get(RouteIndex).all()),
    'retention.md': retentionPage(),
    'settings.md': settingsPage(),
  };
  const documents = configFile
    ? ofEveryService
    : {
        ...inDocs(ofEveryService),
        ...(await (await import('./documents/of-slipway.mjs')).documentsOfSlipway(openApi)),
      };
  return isCheck ? check(folder, documents) : write(folder, documents);
}

/** @param {Record<string, string>} documents */
function inDocs(documents) {
  return Object.fromEntries(Object.entries(documents).map(([name, text]) => [`docs/${name}`, text]));
}

/**
 * Leaves a document alone that is the same, because the service is built again when one of its sources was written.
 * @param {string} folder @param {Record<string, string>} documents
 */
async function write(folder, documents) {
  for (const [path, text] of Object.entries(documents)) {
    const file = join(folder, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return 0;
}

/** @param {string} folder @param {Record<string, string>} documents */
async function check(folder, documents) {
  const stale = [];
  for (const [path, text] of Object.entries(documents)) {
    if ((await readFile(join(folder, path), 'utf8').catch(() => '')) !== text) stale.push(path);
  }
  if (stale.length === 0) return 0;
  console.error(`No longer what the code says: ${stale.join(', ')}. Run \`npm run docs\` and commit what it writes.`);
  return 1;
}
