import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase } from '../support/database.js';
import { PluginRepository } from '../support/plugin-repository.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const PATH = '/api/v1/knowledge-bases';

const acme = await PluginRepository.ofExample('acme-knowledge');
await acme.run('build');
const databaseUrl = await createEmptyDatabase();
const settings = settingsFor(databaseUrl);
const database = new TestDatabase(databaseUrl);
const service = await startProcess(settings, acme.path('dist', 'main.js'));
afterAll(async () => {
  await service.stop();
  await database.end();
});

it('answers on the routes of a plugin', async () => {
  const { status } = await fetch(`${service.url}${PATH}`);
  expect(status).toBe(401);
});

it('has the pages that authors of plugins are asked to read', () => {
  for (const page of ['CHANGELOG.md', 'docs/plugin-api.md', 'docs/extend/plugin.md', 'docs/kubernetes.md']) {
    expect(readFileSync(acme.path('node_modules', 'slipway', page), 'utf8')).toMatch(/^# /);
  }
});

it('has each file to which the pages for authors of plugins lead', () => {
  const pages = acme.path('node_modules', 'slipway', 'docs', 'extend');
  const links = readdirSync(pages).flatMap((page) =>
    [...readFileSync(join(pages, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link!),
  );
  expect(links).toContain('../../examples/acme-knowledge/test/routes.test.ts');
  expect(links.filter((link) => !existsSync(join(pages, link)))).toEqual([]);
});

it('has nothing of the example that is not its source', () => {
  const example = acme.path('node_modules', 'slipway', 'examples', 'acme-knowledge');
  expect(readdirSync(example).sort()).toEqual([
    '.dockerignore',
    'Dockerfile',
    'README.md',
    'main.ts',
    'package.json',
    'slipway.config.ts',
    'src',
    'test',
    'tsconfig.json',
  ]);
});

it('passes the tests of a plugin, which use the package alone', async () => {
  const { TEST_POSTGRES_URL, TEST_REDIS_URL } = process.env;
  await acme.run('test', { TEST_POSTGRES_URL: TEST_POSTGRES_URL!, TEST_REDIS_URL: TEST_REDIS_URL! });
}, 120_000);

it('writes the documents of the service with a plugin', async () => {
  await acme.run('docs');
  expect(readdirSync(acme.path('docs')).sort()).toEqual([
    'errors.md',
    'events.md',
    'openapi.json',
    'permissions.md',
    'retention.md',
    'settings.md',
  ]);
  const text = (name: string) => readFileSync(acme.path('docs', name), 'utf8');
  expect(text('openapi.json')).toContain('/api/v1/knowledge-bases/{knowledgeBaseId}');
  expect(text('errors.md')).toContain('| `DUPLICATE_KNOWLEDGE_BASE_NAME` | 409 |');
  expect(text('events.md')).toContain('| `knowledge-base.created` | A knowledge base was created. |');
  expect(text('events.md')).toContain('| `agent.activated` |');
  expect(text('permissions.md')).toContain('| `KNOWLEDGE_WRITE` | Create and delete knowledge bases. |');
  expect(text('retention.md')).toContain('| `knowledge-documents` | Documents of knowledge bases | 365 days |');
  expect(text('settings.md')).toContain('| `ACME_KNOWLEDGE_BASES` | `100` |');
  expect(text('settings.md')).toContain('| `DATABASE_URL` |');
});

it('leaves files alone that it did not write', async () => {
  for (const folder of ['openapi', 'sql']) {
    mkdirSync(acme.path('docs', folder), { recursive: true });
    writeFileSync(acme.path('docs', folder, 'of-the-author.md'), 'Ours');
  }
  await acme.run('docs', {}, ['--out', '.']);
  expect(readFileSync(acme.path('docs', 'openapi', 'of-the-author.md'), 'utf8')).toBe('Ours');
  expect(readFileSync(acme.path('docs', 'sql', 'of-the-author.md'), 'utf8')).toBe('Ours');
  await acme.run('docs', {}, ['--out', '.', '--check']);
});

it('writes the same documents of the configuration in TypeScript', async () => {
  await acme.run('docs', {}, ['--config', 'slipway.config.ts', '--out', 'docs', '--check']);
});

it.each([
  ['the service', ['dist', 'main.js']],
  ['the command for documents', ['node_modules', 'slipway', 'scripts', 'documents.mjs']],
])('ends %s with one sentence on an older Node', async (_, path) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.0' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, acme.path(...path)];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stderr: 'Slipway needs Node 24 or later, and this is 22.17.0.\n',
  });
});

it('records the migrations of a plugin under its name', async () => {
  const names = await database.rows<{ name: string }>(`select name from migration where name like 'acme%'`);
  expect(names).toEqual([{ name: 'acme-knowledge/CreateKnowledgeBase' }]);
});

it('starts without the plugin again', async () => {
  const main = acme.path('node_modules', 'slipway', 'dist', 'bundle', 'main.js');
  const without = await startProcess(settings, main);
  expect(await fetch(`${without.url}/health/ready`).then(({ status }) => status)).toBe(200);
  expect(await fetch(`${without.url}${PATH}`).then(({ status }) => status)).toBe(404);
  await without.stop();
});
