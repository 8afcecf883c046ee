import type { Type } from '@nestjs/common';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError } from './kernel/start-error.js';
import { createApplication } from './platform/application.js';
import { Settings } from './platform/config/settings.js';
import { createLog, Log, takeOverConsole } from './platform/telemetry/log.js';
import { migrate } from './platform/database/migrate.js';

/** Runs the service as this process until a signal stops it. If it cannot start, the process ends with a sentence. */
export function run(root: Promise<Type>): Promise<void> {
  return serve(root).catch(fail);
}

/** Migrates the database as this process, and ends it. If it cannot, the process ends with a sentence. */
export async function runMigrations(root: Promise<Type>): Promise<never> {
  try {
    const app = await createApplication(await root);
    await migrate(app.get(MikroORM), app.get(Settings), app.get(Log));
    return process.exit(0);
  } catch (error) {
    return fail(error);
  }
}

async function serve(root: Promise<Type>): Promise<void> {
  const app = await createApplication(await root);
  const settings = app.get(Settings);
  const log = app.get(Log);
  await migrate(app.get(MikroORM), settings, log);
  takeOverConsole(log);
  stopOnSignal(app);
  await app.listen(settings.PORT, settings.HOST);
  process.send?.({ type: 'ready', url: await app.getUrl() });
}

/** Stops taking requests, lets those under way end, then closes what they used. */
function stopOnSignal(app: NestExpressApplication): void {
  const stop = () => void app.close().then(() => process.exit(0), fail);
  process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
}

/** People on a terminal get a text, and everything else gets a line of the log. */
function fail(error: unknown): never {
  const { stderr } = process;
  if (stderr.isTTY) stderr.write(`${reasonOf(error)}\n`);
  else createLog('fatal', stderr).fatal(reasonOf(error));
  process.exit(1);
}

function reasonOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `${error.message}: another program listens on this port. Choose another port with PORT.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
