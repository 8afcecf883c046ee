import { administratorOf, type Granted, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createEmptyDatabase } from '../support/database.js';
import { compareWith } from '../support/every-answer.js';
import { eventually } from '../support/eventually.js';
import type { OpenApi } from '../support/open-api.js';
import { PluginRepository, type Release, releaseOf } from '../support/plugin-repository.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

/**
 * The example as it was at an earlier commit runs on the package of that commit, of a later one, and of the present one.
 * Each of them has a migration that the one before lacks.
 */
const [FIRST, SECOND] = ['9c0c0c09', '2d0f001c'];
const PATH = '/api/v1/knowledge-bases';

const first = await releaseOf(FIRST);
const second = await releaseOf(SECOND);
const acme = await PluginRepository.ofExample('acme-knowledge', first);
await acme.run('build');
const settings = settingsFor(await createEmptyDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
let service: ServiceProcess | undefined;
afterAll(async () => {
  await service?.stop();
  await database.end();
});

/** Starts the repository in place of the process that runs. While jobs are held, those that are added wait. */
async function start(JOBS: 'run' | 'held'): Promise<ServiceProcess> {
  await service?.stop();
  service = undefined;
  service = await startProcess({ ...settings, JOBS }, acme.path('dist', 'main.js'));
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  compareWith(() => document);
  return service;
}

/** Installs another package and compiles the plugin against it, as the page says. */
async function upgradeTo(version: string, release?: Release): Promise<void> {
  await acme.install({ version, ...(release && { release }) });
  await acme.run('build');
}

interface Base {
  data: { knowledgeBaseId: string; name: string; words: number | null };
}

const granted = ['KNOWLEDGE_WRITE'] as unknown as Granted;
const { key } = await makeTenant(await start('held'), { permissions: granted });
const api = () => Client.withKey(service!, key);

/** Makes a knowledge base of so many words, and the job that counts them. */
async function makeBase(name: string, text: string): Promise<string> {
  const { body } = await api().post<Base>(PATH, { name });
  const { knowledgeBaseId } = body.data;
  expect((await api().post(`${PATH}/${knowledgeBaseId}/documents`, { title: name, text })).outcome).toBe('201');
  expect((await api().post(`${PATH}/${knowledgeBaseId}/word-count`)).outcome).toBe('202');
  return `${PATH}/${knowledgeBaseId}`;
}

const wordsAt = async (path: string) => (await api().get<Base>(path)).body.data.words;
const migrations = () => database.rows<{ name: string }>('select name from migration order by id');

let before: { name: string }[];
let made: string[];
beforeAll(async () => {
  made = [await makeBase('Manuals', 'Turn it on')];
  before = await migrations();
});

it('goes on with its rows on the next release, whose migrations have run', async () => {
  await upgradeTo('0.1.1', second);
  await start('held');
  expect(await wordsAt(made[0]!)).toBeNull();
  made.push(await makeBase('Letters', 'With kind regards'));
  expect((await migrations()).length).toBeGreaterThan(before.length);
});

it('passes its tests on the present release, and does the jobs that earlier releases added', async () => {
  before = await migrations();
  await upgradeTo('0.1.2');
  const { TEST_POSTGRES_URL, TEST_REDIS_URL } = process.env;
  await acme.run('test', { TEST_POSTGRES_URL: TEST_POSTGRES_URL!, TEST_REDIS_URL: TEST_REDIS_URL! });
  await start('run');
  expect((await migrations()).length).toBeGreaterThan(before.length);
  await eventually(
    () => Promise.all(made.map(wordsAt)),
    (words) => words.every((count) => count === 3),
  );
});

it('can go back to the release before, on the database of the present one', async () => {
  await upgradeTo('0.1.1', second);
  await start('run');
  made.push(await makeBase('Notes', 'Four words of text'));
  await eventually(
    () => wordsAt(made[2]!),
    (words) => words === 4,
  );
  expect((await administratorOf(service!).get('/health/ready')).outcome).toBe('200');
});
