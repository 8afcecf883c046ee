import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEmptyDatabase } from '../support/database.js';
import { buildExample } from '../support/plugin-repository.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const PATH = '/api/v1/knowledge-bases';

const databaseUrl = await createEmptyDatabase();
const settings = { ...settingsFor(databaseUrl), ACME_KNOWLEDGE_BASES: '2' };
const database = new TestDatabase(databaseUrl);
const configFile = buildExample('acme-knowledge');
const service = await startProcess({ ...settings, SLIPWAY_CONFIG: configFile });
afterAll(async () => {
  await service.stop();
  await database.end();
});

/** Sends a request without comparing its answer with the document of the repository, which knows no plugin. */
async function send(method: string, path: string, key: string, body?: object) {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data, error } = (await answer.json()) as { data: Record<string, string>; error?: { code: string } };
  return { outcome: [answer.status, error?.code].join(' ').trim(), data };
}

async function admin(path: string, body: object): Promise<Record<string, string>> {
  const { outcome, data } = await send('POST', `/api/admin/v1${path}`, service.adminKey, body);
  expect([path, outcome]).toEqual([path, '201']);
  return data;
}

/** Makes a project and returns a function that sends requests with a key of it. */
async function keyWith(permission: string) {
  const { projectId } = await admin('/projects', { name: 'A project' });
  const { appId } = await admin(`/projects/${projectId}/apps`, { name: 'An app' });
  const scope = { scopeName: 'backend', permissions: { [permission]: 'YES' } };
  const { scopeName } = await admin(`/apps/${appId}/scopes`, scope);
  const { apikey } = await admin(`/apps/${appId}/apikeys`, { scopeName, apiKeyName: 'a key' });
  return (method: string, path: string, body?: object) => send(method, path, apikey!, body);
}

it('serves the routes of a plugin by its own permissions, ids, errors and settings', async () => {
  const writer = await keyWith('KNOWLEDGE_WRITE');
  const made = await writer('POST', PATH, { name: 'Manuals' });
  expect(made.outcome).toBe('201');
  expect(made.data.knowledgeBaseId).toMatch(/^kb-/);
  expect((await writer('POST', PATH, { name: 'MANUALS' })).outcome).toBe('409 DUPLICATE_KNOWLEDGE_BASE_NAME');
  expect((await writer('POST', PATH, { name: 'Prices' })).outcome).toBe('201');
  expect((await writer('POST', PATH, { name: 'Offers' })).outcome).toBe('409 TOO_MANY_KNOWLEDGE_BASES');
  // The permission to write implies the one to read.
  expect((await writer('GET', PATH)).data).toMatchObject([{ name: 'Manuals' }, { name: 'Prices' }]);

  const reader = await keyWith('KNOWLEDGE_READ');
  expect((await reader('GET', `${PATH}/${made.data.knowledgeBaseId}`)).outcome).toBe('404 KNOWLEDGE_BASE_NOT_FOUND');
  expect((await reader('POST', PATH, { name: 'Mine' })).outcome).toMatch(/^403/);
});

it('documents the routes and permissions of a plugin', async () => {
  const document = await fetch(`${service.url}/openapi.json`).then((answer) => answer.text());
  expect(document).toContain('/api/v1/knowledge-bases/{knowledgeBaseId}');
  expect(document).toContain('Create and delete knowledge bases.');
});

it('writes the documents of the service with a plugin into a folder', () => {
  const folder = mkdtempSync(join(process.env.TEST_FOLDER!, 'documents-'));
  const script = fileURLToPath(new URL('../../scripts/documents.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--config', configFile, '--out', folder], { stdio: 'inherit' });
  execFileSync(process.execPath, [script, '--config', configFile, '--out', folder, '--check'], { stdio: 'inherit' });

  expect(readdirSync(folder).sort()).toEqual(['errors.md', 'openapi.json', 'permissions.md', 'settings.md']);
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  expect(text('openapi.json')).toContain('/api/v1/knowledge-bases/{knowledgeBaseId}');
  expect(text('errors.md')).toContain('| `DUPLICATE_KNOWLEDGE_BASE_NAME` | 409 |');
  expect(text('permissions.md')).toContain(
    '| `KNOWLEDGE_WRITE` | Create and delete knowledge bases. | `KNOWLEDGE_READ` |',
  );
  expect(text('settings.md')).toContain('| `ACME_KNOWLEDGE_BASES` | `100` |');
  expect(text('settings.md')).toContain('| `DATABASE_URL` |');
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
