import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { upload } from '../files/files.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, endedRun, envOf, execute, flowOf } from './make.js';
import { startApi } from './open-api.js';

/** A server that answers no request before it is told to. */
async function startGate() {
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => request.resume().on('end', () => open.push(response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    answerAll: () => open.splice(0).forEach((response) => response.end('{}')),
    stop: () => server.close(),
  };
}

const [gate, api] = [await startGate(), await startApi()];
const service = await startService();
afterAll(async () => {
  await service.stop();
  gate.stop();
  api.stop();
});

const MIB = 1024 * 1024;
const call = (url: string, more: object) => flowOf([{ id: 'call', type: 'http', method: 'POST', url, ...more }]);
const file = { file: { fileId: '{{ input.fileId }}' } };

async function storedFile({ api: client }: Tenant, bytes: number): Promise<string> {
  const content = Buffer.alloc(bytes, 'a');
  return (await upload(client, { name: 'large.txt', content, fileContext: 'tool' })).body.fileId;
}

it('the bodies of a project have 64 MiB in memory, and further ones wait without delaying its neighbours', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  const toolId = await deployedTool(tenant, { flow: call(gate.url, file) });
  const hasty = await deployedTool(tenant, { flow: call(gate.url, { ...file, timeoutMs: 50 }) });
  const input = { fileId: await storedFile(tenant, 16 * MIB) };
  const begin = async () => (await execute(tenant, toolId, input, { isAsync: true })).body.runId;
  const runs = [await begin(), await begin(), await begin(), await begin(), await begin(), await begin()];
  await eventually(
    async () => gate.open.length,
    (open) => open === 4,
  );

  const { body } = await execute(tenant, hasty, input);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'BODIES_TOO_LARGE_TOGETHER' } });
  const small = await deployedTool(tenant, { flow: call(api.url, { body: { is: 'small' } }) });
  expect((await execute(tenant, small)).body.status).toBe('completed');
  const ofOther = await deployedTool(other, { flow: call(api.url, file) });
  const answer = await execute(other, ofOther, { fileId: await storedFile(other, 16 * MIB) });
  expect(answer.body.status).toBe('completed');
  expect(gate.open).toHaveLength(4);

  gate.answerAll();
  await eventually(
    async () => gate.open.length,
    (open) => open === 2,
  );
  gate.answerAll();
  for (const runId of runs) expect((await endedRun(tenant, toolId, runId)).status).toBe('completed');
});

it('a run whose time ends while it waits for room lets the next one begin', async () => {
  const tenant = await makeTenant(service);
  const toolId = await deployedTool(tenant, { flow: call(gate.url, file) });
  const fast = await deployedTool(tenant, { flow: call(api.url, file) });
  const [large, small] = [await storedFile(tenant, 16 * MIB), await storedFile(tenant, MIB)];
  const begin = async (fileId: string) => (await execute(tenant, toolId, { fileId }, { isAsync: true })).body.runId;
  const first = [await begin(large), await begin(large), await begin(large), await begin(small)];
  await eventually(
    async () => gate.open.length,
    (open) => open === 4,
  );
  const waiting = execute(tenant, toolId, { fileId: large }, { timeoutMs: 1_000 });
  const behind = execute(tenant, fast, { fileId: small });
  expect((await waiting).body).toMatchObject({ status: 'failed', error: { code: 'RUN_TIMED_OUT' } });
  expect((await behind).body.status).toBe('completed');
  gate.answerAll();
  for (const runId of first) expect((await endedRun(tenant, toolId, runId)).status).toBe('completed');
});

it('a stored file in a form has the format that the form demands, unless the input says another one', async () => {
  const tenant = await makeTenant(service);
  const fileId = await storedFile(tenant, 10);
  const partsOf = async (files: object[]) => {
    const multipart = { fields: { a: '{{ input.a }}' }, files: ['a'], types: { a: 'text/csv' } };
    const toolId = await deployedTool(tenant, { flow: call(api.url, { multipart }) });
    expect((await execute(tenant, toolId, { a: files })).body.status).toBe('completed');
    return [...api.last().body.matchAll(/Content-Type: (.*)\r\n/g)].map(([, type]) => type);
  };
  expect(await partsOf([{ fileId }, { text: 'a' }, { fileId, contentType: 'text/markdown' }])).toEqual([
    'text/csv',
    'text/csv',
    'text/markdown',
  ]);
});

it('a secret is masked in each spelling in which a server repeats it', async () => {
  const tenant = await makeTenant(service);
  const secret = 'canary/of+a secret?';
  const spellings = [
    encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
    encodeURIComponent(Buffer.from(secret).toString('base64')),
    Buffer.from(`{"key":"${secret}"}`).toString('base64'),
  ];
  api.says = { spellings };
  const env = envOf([{ name: 'KEY', value: secret, secret: true }]);
  const toolId = await deployedTool(tenant, { flow: call(api.url, { headers: { key: '{{ env.KEY }}' } }), env });
  const { body, text } = await execute(tenant, toolId);
  api.says = undefined;
  expect(body).toMatchObject({ status: 'completed', output: { status: 200 } });
  for (const spelling of spellings) expect(text).not.toContain(spelling);
  expect(text.match(/ca\*+ret\?/g)).toHaveLength(3);
  expect(await service.database.dump()).not.toContain(Buffer.from(secret).toString('base64').slice(4, 16));
});
