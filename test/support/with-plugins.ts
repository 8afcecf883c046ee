import type { SlipwayConfig } from '../../src/platform/plugins/plugin.js';
import { rootModuleOf } from '../../src/root-module.js';
import { createEmptyDatabase, dropDatabase, migrateDatabase } from './database.js';
import { compareWith } from './every-answer.js';
import type { OpenApi } from './open-api.js';
import { startService, type Service } from './service.js';
import { settingsFor, type SettingsOfTest } from './settings.js';

const SERVERS = ['TEST_POSTGRES_URL', 'TEST_REDIS_URL'];

/**
 * Starts the service with plugins in this process, on a free port, with a database of its own that is dropped at the end.
 * A process can do this once, because the names of the plugins stay known in it: each test file has its own process.
 */
export async function startWithPlugins(config: SlipwayConfig, changes: SettingsOfTest = {}): Promise<Service> {
  const missing = SERVERS.find((name) => !process.env[name]);
  if (missing) throw new Error(`${missing} is missing. Set it to the address of a server for tests.`);
  const root = await rootModuleOf(config);
  const databaseUrl = await createEmptyDatabase();
  const settings = { ...settingsFor(databaseUrl), ...changes };
  await migrateDatabase(settings);
  const service = await startService(settings, root);
  const answer = await fetch(`${service.url}/openapi.json`);
  const document = (await answer.json()) as OpenApi;
  compareWith(() => document);
  return {
    ...service,
    async stop() {
      await service.stop();
      await dropDatabase(databaseUrl);
    },
  };
}
