import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEmptyDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'plugins-'));
let files = 0;

function fileOf(text: string): string {
  const file = join(folder, `${(files += 1)}.mjs`);
  writeFileSync(file, text);
  return file;
}

/** Returns the address of a file of the project, for a configuration in another folder. */
function inProject(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}

/** A plugin whose modules are loaded with these statements. */
function loading(name: string, statements: string): string {
  return `{ name: '${name}', slipway: '*', modules: async () => { ${statements} return []; } }`;
}

/** Starts with these plugins in an empty database. Returns why it ended, and whether there are tables now. */
async function endOfStart(...plugins: string[]): Promise<{ reason: string; tables: object[] }> {
  const config = fileOf(`
    import { defineEntity, p } from '${inProject('node_modules/@mikro-orm/core/index.js')}';
    import { Entity, PrimaryKey } from '${inProject('node_modules/@mikro-orm/decorators/legacy/index.js')}';
    import { z } from '${inProject('node_modules/zod/index.js')}';
    import { defineJob, HandlesJob, JobHandler } from '${inProject('dist/bundle/plugin.js')}';
    export default { plugins: [${plugins.join(', ')}] };`);
  const databaseUrl = await createEmptyDatabase();
  const { message: reason } = await startProcess({ ...settingsFor(databaseUrl), SLIPWAY_CONFIG: config }).then(
    () => new Error('It started'),
    (error: Error) => error,
  );
  const database = new TestDatabase(databaseUrl);
  const tables = await database.rows(`select tablename from pg_tables where schemaname = 'public'`);
  await database.end();
  return { reason, tables };
}

const entity = (tableName: string) =>
  `class Thing {} PrimaryKey({ type: 'text' })(Thing.prototype, 'id'); Entity({ tableName: '${tableName}' })(Thing);`;
const properties = 'properties: { id: p.text().primary() }';
const definedFor = (tableName: string) =>
  `class Thing {} defineEntity({ class: Thing, tableName: '${tableName}', ${properties} });`;
const definedBefore = (tableName: string) =>
  `const schema = defineEntity({ name: 'Thing', tableName: '${tableName}', ${properties} });
   class Thing extends schema.class {} schema.setClass(Thing);`;

it.each<[owners: string, table: string, plugins: string[]]>([
  ['Slipway and the plugin a', 'job', [loading('a', entity('job'))]],
  ['The plugin a and the plugin b', 'thing', [loading('a', entity('thing')), loading('b', entity('thing'))]],
  ['The plugin a and the plugin b', 'note', [loading('a', definedFor('note')), loading('b', definedBefore('note'))]],
  ['The plugin a and the plugin b', 'page', [loading('a', definedFor('page')), loading('b', entity('page'))]],
])(
  'ends with the names of %s if both have the table %s, before anything is changed',
  async (owners, table, plugins) => {
    const { reason, tables } = await endOfStart(...plugins);
    expect(reason).toContain(`${owners} both have the table ${table}. Rename one of them.`);
    expect(tables).toEqual([]);
  },
);

it.each<[handlers: string, statements: string, message: string]>([
  [
    'two handlers',
    'class First extends JobHandler {} class Second extends JobHandler {} HandlesJob(job)(First); HandlesJob(job)(Second);',
    'First and Second both handle the job a.work. Remove one of them.',
  ],
  ['no handler', '', 'The job a.work of the plugin a has no handler. Mark a class with @HandlesJob.'],
])('ends with one sentence if a job has %s, before anything is changed', async (_, statements, message) => {
  const job = `const job = defineJob('a.work', { queue: 'upkeep', data: z.object({}), attempts: 1 });`;
  const { reason, tables } = await endOfStart(loading('a', `${job} ${statements}`));
  expect(reason).toContain(message);
  expect(reason).not.toContain('    at ');
  expect(tables).toEqual([]);
});
