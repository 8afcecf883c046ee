import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { exampleId } from '../../src/kernel/ids.js';
import { Client } from '../support/client.js';
import { committedOpenApi } from '../support/committed-open-api.js';
import { startService } from '../support/service.js';

const READERS = 300;
const MOST_MEMORY = 64 * 1024 * 1024;
const LIVE_WITHIN_MS = 2_000;
const IDLE_READERS = fileURLToPath(new URL('idle-readers.mjs', import.meta.url));

const service = await startService({ SLIPWAY_DEMO: '1' });
const stranger = new Client(service.url);
const { text: plain } = await stranger.get('/openapi.json', { headers: { 'accept-encoding': 'identity' } });
afterAll(() => service.stop());

/** The bytes as they come: `fetch` unpacks them. */
async function ask(path: string, headers: Record<string, string>) {
  const [response] = (await once(get(service.url + path, { headers }), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

describe.each(['/openapi.json', '/docs/swagger-ui-init.js'])('%s', (path) => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['', undefined, (bytes: Buffer) => bytes],
    [`gzip, ${'x'.repeat(2_000)}`, undefined, (bytes: Buffer) => bytes],
  ])('is sent to clients that accept %j as %s', async (accepted, encoding, unpack) => {
    const { headers, bytes } = await ask(path, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(unpack(bytes).toString()).toContain(plain);
    if (encoding) expect(bytes.length).toBeLessThan(plain.length / 5);
  });

  it.each(['gzip', 'br', 'identity'])('is not sent again as %s to a client that has it', async (accepted) => {
    const headers = { 'accept-encoding': accepted };
    const { etag } = (await ask(path, headers)).headers;
    const again = await ask(path, { ...headers, 'if-none-match': etag! });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    const other = await ask(path, { ...headers, 'if-none-match': '"of-another-release"' });
    expect(other.status).toBe(200);
  });
});

it('serves others while hundreds of clients request the document and read nothing', async () => {
  const { hostname, port } = new URL(service.url);
  const memory = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  const before = memory();
  // The readers are another process, so that their own memory is not counted.
  const readers = spawn(process.execPath, [IDLE_READERS, hostname, port, String(READERS)]);
  let areServed = false;
  const answered = once(readers.stdout, 'data').then(() => (areServed = true));
  while (!areServed) {
    const asked = performance.now();
    await stranger.get('/health/live');
    expect(performance.now() - asked).toBeLessThan(LIVE_WITHIN_MS);
  }
  await answered;
  expect(memory() - before).toBeLessThan(MOST_MEMORY);
  readers.kill();
});

it('fills in the parameters that a list needs in Swagger UI, and leaves its filters empty', async () => {
  interface Page {
    spec: { paths: Record<string, Record<string, { parameters: { name: string; schema: { example?: string } }[] }>> };
  }
  const script = (await stranger.get('/docs/swagger-ui-init.js')).text;
  const pages: Page[] = [];
  const SwaggerUIBundle = Object.assign((page: Page) => pages.push(page), { presets: {} });
  runInNewContext(script, { SwaggerUIBundle, SwaggerUIStandalonePreset: {} });
  const filled = (path: string) =>
    [...pages[0]!.spec.paths[path]!.get!.parameters].flatMap(({ name, schema }) => (schema.example ? [name] : []));
  expect(filled('/api/public/apps/{appId}/traces')).toEqual(['appId']);
  expect(filled('/api/admin/v1/audit')).toEqual([]);
  const ledger = filled('/api/public/analytics/projects/{projectId}/llm-ledger');
  expect(ledger).toEqual(['fromDate', 'toDate', 'projectId']);
});

describe('the examples of a service that has the demo', () => {
  interface Shown {
    paths: Record<string, Record<string, { parameters: { name: string; schema: { example?: string } }[] }>>;
    components: { schemas: Record<string, { example?: Record<string, unknown> }> };
  }
  const demo = JSON.parse(readFileSync(join(service.settings.DATA_DIR!, 'demo.json'), 'utf8')) as Record<
    string,
    string
  >;
  const { paths, components } = JSON.parse(plain) as Shown;
  /** Without them, some tags of Swagger UI would have no operation whose example succeeds. */
  const OF_TAGS = ['toolId', 'dockStatusId', 'botId'];

  it('use its ids in paths and bodies', () => {
    const shown = new Map(
      Object.values(paths)
        .flatMap(({ delete: _, ...verbs }) => Object.values(verbs))
        .flatMap(({ parameters = [] }) => parameters)
        .map(({ name, schema }) => [name, schema.example]),
    );
    for (const name of ['projectId', 'appId', 'scopeId', 'keyId', 'agentId', 'subscriptionId', ...OF_TAGS]) {
      expect([name, shown.get(name)]).toEqual([name, demo[name]]);
    }
    expect(components.schemas.ActivateAgentInput!.example).toMatchObject({ agentId: demo.agentId });
    expect(JSON.stringify(components.schemas)).toContain(demo.subscriptionId!);
  });

  it('are not filled in for deletions', () => {
    const deletions = JSON.stringify(Object.values(paths).flatMap((verbs) => verbs.delete ?? []));
    expect(deletions).toContain(exampleId('agent'));
    for (const id of [demo.projectId, demo.appId, demo.keyId, demo.agentId]) expect(deletions).not.toContain(id);
  });

  it('succeed unchanged', async () => {
    const { apiKey, appId, projectId, toolId, dockStatusId, botId, hookToken } = demo;
    const client = Client.withKey(service, apiKey!);
    const from = { fromDate: '2026-11-01T00:00:00Z', toDate: '2026-12-01T00:00:00Z' };
    const ledger = await client.get(`/api/public/analytics/projects/${projectId}/llm-ledger`, { query: from });
    const { example } = components.schemas.StartRunInput!;
    const run = await client.post(`/api/v2/apps/${appId}/environments/production/runs`, example);
    expect([ledger.outcome, run.outcome]).toEqual(['200', '200']);

    const { ExecuteToolInput, ToolRunAnswer, HookCallInput } = components.schemas;
    const executed = await client.post(`/api/public/tools/${toolId}/execute`, ExecuteToolInput!.example);
    const { runId: _, ...answer } = ToolRunAnswer!.example!;
    expect(executed).toMatchObject({ outcome: '200', body: answer });
    expect(await client.get(`/api/public/dock-status/${dockStatusId}`)).toMatchObject({
      outcome: '200',
      body: { toolId, action: 'DEPLOY', status: 'SUCCESS' },
    });
    const hook = { headers: { auth: hookToken! }, body: HookCallInput!.example };
    expect((await stranger.send('POST', `/agentassist/api/v1/hooks/${botId}`, hook)).outcome).toBe('200');
  });

  it('differ from those in the repository', () => {
    const committed = JSON.stringify(committedOpenApi());
    for (const id of [demo.projectId, demo.appId, demo.agentId]) expect(committed).not.toContain(id);
  });
});
