import { makeTenant } from '../support/actors.js';
import { createEmptyDatabase } from '../support/database.js';
import { buildExample } from '../support/plugin-repository.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const PATH = '/api/v1/knowledge-bases';

const settings = { ...settingsFor(await createEmptyDatabase()), ACME_KNOWLEDGE_BASES: '2' };
const database = new TestDatabase(settings.DATABASE_URL);
const service = await startProcess({ ...settings, SLIPWAY_CONFIG: buildExample('acme-knowledge') });
afterAll(async () => {
  await service.stop();
  await database.end();
});

interface KnowledgeBaseBody {
  knowledgeBaseId: string;
  name: string;
}

it('serves the routes of a plugin by its own permissions, ids, errors and settings', async () => {
  const { api } = await makeTenant(service, ['KNOWLEDGE_WRITE' as 'RUN_API']);
  const made = await api.post<{ data: KnowledgeBaseBody }>(PATH, { name: 'Manuals' });
  expect(made.outcome).toBe('201');
  const { knowledgeBaseId } = made.body.data;
  expect(knowledgeBaseId).toMatch(/^kb-/);
  expect((await api.post(PATH, { name: 'MANUALS' })).outcome).toBe('409 DUPLICATE_KNOWLEDGE_BASE_NAME');
  expect((await api.post(PATH, { name: 'Prices' })).outcome).toBe('201');
  expect((await api.post(PATH, { name: 'Offers' })).outcome).toBe('409 TOO_MANY_KNOWLEDGE_BASES');
  // The permission to write implies the one to read.
  const list = await api.get<{ data: KnowledgeBaseBody[] }>(PATH);
  expect(list.body.data.map(({ name }) => name)).toEqual(['Manuals', 'Prices']);

  const stranger = await makeTenant(service, ['KNOWLEDGE_READ' as 'RUN_API']);
  expect((await stranger.api.get(`${PATH}/${knowledgeBaseId}`)).outcome).toBe('404 KNOWLEDGE_BASE_NOT_FOUND');
  expect((await stranger.api.post(PATH, { name: 'Mine' })).outcome).toBe('403 INSUFFICIENT_PERMISSIONS');
});

it('documents the routes and permissions of a plugin', async () => {
  const document = await fetch(`${service.url}/openapi.json`).then((answer) => answer.text());
  expect(document).toContain('/api/v1/knowledge-bases/{knowledgeBaseId}');
  expect(document).toContain('Create and delete knowledge bases.');
});

it('records the migrations of a plugin under its name', async () => {
  const names = await database.rows<{ name: string }>(`select name from migration where name like 'acme%'`);
  expect(names).toEqual([{ name: 'acme-knowledge/CreateKnowledgeBase' }]);
});

it('starts without the plugin again', async () => {
  const without = await startProcess(settings);
  expect(await fetch(`${without.url}/health/ready`).then(({ status }) => status)).toBe(200);
  expect(await fetch(`${without.url}${PATH}`).then(({ status }) => status)).toBe(404);
  await without.stop();
});
