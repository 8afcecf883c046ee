import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../src/platform/application.js';
import { ProcessStops } from '../../src/platform/queue/job-runner.js';
import { Slots } from '../../src/platform/queue/slots.js';
import { rootModule } from '../../src/root-module.js';
import { createDatabase } from './database.js';
import { settingsFor, type SettingsOfTest } from './settings.js';
import { TestDatabase } from './test-database.js';

/** A service that answers over HTTP and can be administered. */
export interface Target {
  readonly url: string;
  readonly adminKey: string;
  readonly databaseUrl: string;
}

export interface Service extends Target {
  readonly app: NestExpressApplication;
  readonly database: TestDatabase;
  /** The settings for a further process of the same service. */
  readonly settings: SettingsOfTest;
  /** Further processes and servers that stop with the service. */
  readonly companions: { stop(): unknown }[];
  stop(): Promise<void>;
}

let isRunning = false;

/**
 * Starts the application in this process, on a free port and with a database of its own unless they are set. Only one can
 * run at a time, because it reads its settings from the environment of the process.
 */
export async function startService(changes: SettingsOfTest = {}, root?: Type): Promise<Service> {
  if (isRunning) throw new Error('This file has a service already. Start another one as a process');
  isRunning = true;
  const settings = { ...settingsFor(changes.DATABASE_URL ?? (await createDatabase())), ...changes };
  Object.assign(process.env, settings);
  const app = await createApplication(root ?? (await rootModule()));
  await app.listen(Number(settings.PORT), '127.0.0.1');
  const database = new TestDatabase(settings.DATABASE_URL!);
  const companions: Service['companions'] = [];
  return {
    app,
    database,
    settings,
    companions,
    url: await app.getUrl(),
    adminKey: settings.SLIPWAY_ADMIN_KEY!,
    databaseUrl: settings.DATABASE_URL!,
    async stop() {
      await Promise.all(companions.map((each) => each.stop()));
      // Jobs that hang when the tests are over are not waited for. Tests of stopping stop a process.
      app.get(Slots).abortAll(new ProcessStops());
      await Promise.all([app.close(), database.end()]);
      isRunning = false;
    },
  };
}
