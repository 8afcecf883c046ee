import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEmptyDatabase } from './database.js';
import { startProcess } from './process.js';
import { settingsFor, type SettingsOfTest } from './settings.js';
import { TestDatabase } from './test-database.js';

const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'plugins-'));
let files = 0;

export function fileOf(text: string): string {
  const file = join(folder, `${(files += 1)}.mjs`);
  writeFileSync(file, text);
  return file;
}

/** Returns the address of a file of the project, for a configuration in another folder. */
export function inProject(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}

/** Writes a configuration whose plugins have what is given, and otherwise what a plugin needs. */
export function configOf(...plugins: string[]): string {
  const needed = `slipway: '*', modules: async () => []`;
  const members = plugins.map((plugin) => `{ ${needed}, ${plugin} }`);
  return fileOf(`
    import { Migration } from '${inProject('node_modules/@mikro-orm/migrations/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    export default { plugins: [${members.join(', ')}] };`);
}

/** A plugin that loads these statements as its module. They export an array as `modules` if there are modules. */
export function loading(name: string, statements: string, members = ''): string {
  const file = fileOf(`
    import { defineEntity, p } from '${inProject('node_modules/@mikro-orm/core/index.js')}';
    import { Entity, PrimaryKey } from '${inProject('node_modules/@mikro-orm/decorators/legacy/index.js')}';
    import { MikroOrmModule } from '${inProject('node_modules/@mikro-orm/nestjs/index.js')}';
    import { Controller, Module } from '${inProject('node_modules/@nestjs/common/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import * as slipway from '${inProject('dist/bundle/plugin.js')}';
    ${statements}`);
  return `name: '${name}', ${members} modules: () => import('${file}').then(({ modules = [] }) => modules)`;
}

interface EndOfStart {
  readonly reason: string;
  readonly tables: readonly string[];
}

/** Starts with this configuration. Returns why it ended, and the tables that there are now. */
export async function endOfStart(
  SLIPWAY_CONFIG: string,
  changes: SettingsOfTest = {},
  databaseUrl?: string,
): Promise<EndOfStart> {
  databaseUrl ??= await createEmptyDatabase();
  const { message: reason } = await startProcess({ ...settingsFor(databaseUrl), SLIPWAY_CONFIG, ...changes }).then(
    async (service) => {
      await service.stop();
      return new Error('It started');
    },
    (error: Error) => error,
  );
  const database = new TestDatabase(databaseUrl);
  const rows = await database.rows<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public' order by tablename`,
  );
  await database.end();
  return { reason, tables: rows.map(({ tablename }) => tablename) };
}

/** Asserts that the service ends with a sentence that has this text, and that the database is still empty. */
export async function expectRefusal(config: string, message: string | RegExp, changes?: SettingsOfTest): Promise<void> {
  const { reason, tables } = await endOfStart(config, changes);
  expect(reason).toMatch(message);
  // A stack would mean that the error is not one for operators.
  expect(reason).not.toContain('    at ');
  expect(tables).toEqual([]);
}
