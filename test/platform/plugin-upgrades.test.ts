import { readFileSync, writeFileSync } from 'node:fs';
import { administratorOf, type Granted, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createEmptyDatabase } from '../support/database.js';
import { compareWith } from '../support/every-answer.js';
import type { OpenApi } from '../support/open-api.js';
import { PluginRepository } from '../support/plugin-repository.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const PATH = '/api/v1/knowledge-bases';
const ADMIN = '/api/admin/v1';
const page = readFileSync(new URL('../../docs/extend/plugin.md', import.meta.url), 'utf8');

interface Bases {
  data: { name: string }[];
}

interface Scope {
  data: { permissions: object };
}

const acme = await PluginRepository.ofExample('acme-knowledge');
await acme.compile();
const configWithPlugin = readFileSync(acme.path('slipway.config.ts'), 'utf8');
const [importOfConfig] = configWithPlugin.split('\n');
const settings = settingsFor(await createEmptyDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
let service: ServiceProcess | undefined;
afterAll(async () => {
  await service?.stop();
  await database.end();
});

/** Starts the service of the repository as it is compiled, in place of the one that runs. */
async function start(changes: Record<string, string> = {}): Promise<ServiceProcess> {
  await service?.stop();
  service = undefined;
  service = await startProcess({ ...settings, ...changes }, acme.path('dist', 'main.js'));
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  compareWith(() => document);
  return service;
}

/** Returns the first code of a language in a section of the page. */
function codeOf(heading: string, language: string): string {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`));
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section)![1]!;
}

async function migrationsOfPlugin(): Promise<string[]> {
  const rows = await database.rows<{ name: string }>(`select name from migration where name like 'acme%' order by id`);
  return rows.map(({ name }) => name);
}

/** Writes a migration of a later release. */
function writeMigration(file: string, name: string, statement: string): void {
  const text = `import { Migration } from '@mikro-orm/migrations';
    export class ${name} extends Migration { up() { this.addSql('${statement}'); } }`;
  writeFileSync(acme.path(file), text);
}

/** The tenant outlives each release. Its scope grants a permission of the plugin. */
const granted = ['KNOWLEDGE_WRITE', 'RUN_API'] as unknown as Granted;
const { key, appId, scopeId } = await makeTenant(await start(), { permissions: granted });
const api = () => Client.withKey(service!, key);
const namesOfBases = async () => (await api().get<Bases>(PATH)).body.data.map(({ name }) => name);

async function shownPermissions(): Promise<object> {
  const { body } = await administratorOf(service!).get<Scope>(`${ADMIN}/apps/${appId}/scopes/${scopeId}`);
  return body.data.permissions;
}

it('keeps its rows when a patch of Slipway is installed', async () => {
  expect((await api().post(PATH, { name: 'Manuals' })).outcome).toBe('201');
  await acme.install({ version: '0.1.1' });
  await start();
  expect(await namesOfBases()).toEqual(['Manuals']);
  expect(await migrationsOfPlugin()).toEqual(['acme-knowledge/CreateKnowledgeBase']);
});

it('does not start with a version outside its range, which changes nothing', async () => {
  await acme.install({ version: '0.2.0' });
  const file = 'node_modules/slipway/dist/migrations/20991231000000_create_future.js';
  writeMigration(file, 'CreateFuture', 'create table future ()');
  await expect(start()).rejects.toThrow('The plugin acme-knowledge works with Slipway ^0.1.0, and this is 0.2.0.');
  expect(await database.tables()).not.toContain('future');
});

it('applies the migrations of Slipway and then its own once its range is widened', async () => {
  acme.edit('src/plugin.ts', /slipway: '\^0\.1\.0'/, `slipway: '^0.1.0 || ^0.2.0'`);
  writeMigration('src/add-note.migration.ts', 'AddNote', 'alter table acme_knowledge_base add column note text');
  acme.edit('src/plugin.ts', /^/, `import { AddNote } from './add-note.migration.js';\n`);
  acme.edit('src/plugin.ts', /migrations: \[CreateKnowledgeBase]/, 'migrations: [CreateKnowledgeBase, AddNote]');
  await acme.compile();
  await start({ JOBS: 'held' });
  expect(await namesOfBases()).toEqual(['Manuals']);
  const last = await database.rows('select name from migration order by id desc limit 2');
  expect(last).toEqual([{ name: 'acme-knowledge/AddNote' }, { name: '20991231000000_create_future' }]);
});

it('leaves its tables, migrations, jobs and permissions when it is removed', async () => {
  const [base] = await database.rows<{ id: string }>('select id from acme_knowledge_base');
  expect((await api().post(`${PATH}/${base!.id}/word-count`)).outcome).toBe('202');
  expect(await shownPermissions()).toMatchObject({ KNOWLEDGE_WRITE: 'YES', RUN_API: 'YES' });

  writeFileSync(acme.path('slipway.config.ts'), `${importOfConfig}\n${codeOf('Remove the plugin', 'ts')}`);
  await acme.compile();
  await start();
  expect((await api().get(PATH)).outcome).toBe('404 ROUTE_NOT_FOUND');
  expect(await database.rows('select name from acme_knowledge_base')).toEqual([{ name: 'Manuals' }]);
  expect(await migrationsOfPlugin()).toEqual(['acme-knowledge/CreateKnowledgeBase', 'acme-knowledge/AddNote']);
  const shown = await shownPermissions();
  expect(shown).toMatchObject({ RUN_API: 'YES' });
  expect(shown).not.toHaveProperty('KNOWLEDGE_WRITE');

  const jobs = await database.rows<{ id: string; state: string }>(`select id, state from job where name like 'acme%'`);
  expect(jobs).toMatchObject([{ state: 'queued' }]);
  expect((await administratorOf(service!).post(`${ADMIN}/jobs/${jobs[0]!.id}/cancel`)).outcome).toBe('200');
});

it('makes its tables again after they were dropped with the entries, and is open to the scopes of before', async () => {
  await database.rows(codeOf('Remove the plugin', 'sql'));
  expect(await migrationsOfPlugin()).toEqual([]);
  writeFileSync(acme.path('slipway.config.ts'), configWithPlugin);
  await acme.compile();
  await start();
  expect(await namesOfBases()).toEqual([]);
  expect((await api().post(PATH, { name: 'Manuals' })).outcome).toBe('201');
});
