import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { makeTenant, type Tenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { randomFrom } from '../faults/task-service.js';
import { DOCK, type DockBody, filesOf, flowOf, type RunBody, type RunDetails, TOOLS } from './make.js';

const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const OPERATIONS = ['import', 'deploy', 'execute', 'export'] as const;
const PATIENCE_MS = 60_000;

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
const received: { key: string; n: string }[] = [];
const receiver = createServer((request, response) => {
  const { searchParams } = new URL(request.url!, 'http://receiver');
  received.push({ key: searchParams.get('key')!, n: searchParams.get('n')! });
  setTimeout(() => response.end('taken'), 30);
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const there = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

let service: ServiceProcess;
afterAll(async () => {
  await service.kill();
  await database.end();
  receiver.closeAllConnections();
  receiver.close();
});

const call = (n: number) => ({
  id: `call_${n}`,
  type: 'http',
  url: there,
  query: { key: '{{ run.idempotencyKey }}', n: String(n) },
});
const FLOW = flowOf([
  call(1),
  { id: 'random', type: 'script', code: 'return Math.random();' },
  call(2),
  call(3),
  { id: 'again', type: 'script', code: 'return nodes.random;' },
]);

it.each(SEEDS)('each operation ends once if its process is killed in the middle of it (seed %s)', async (seed) => {
  const random = randomFrom(seed * 7919);
  service ??= await startProcess(settings);
  const tenant = await makeTenant(service);
  const now = (): Tenant => ({ ...tenant, api: Client.withKey(service, tenant.key) });
  const fatal = OPERATIONS[seed % OPERATIONS.length]!;
  /** Starts an operation, and kills the process after it has been accepted if the seed has chosen this operation. */
  const during = async <T>(operation: string, start: () => Promise<T>): Promise<T> => {
    const started = await start();
    if (operation === fatal) {
      await wait(random() * (operation === 'execute' ? 150 : 30));
      await service.kill();
      await database.rows(`update job set lease_until = now() where state = 'running'`);
      service = await startProcess(settings);
    }
    return started;
  };
  const post = async <T>(path: string, body?: object, query?: Record<string, string>): Promise<T> => {
    const { body: answer, status, text } = await now().api.post<T>(TOOLS + path, body, query && { query });
    if (status !== 200) throw new Error(`POST ${path} answered ${text}`);
    return answer;
  };
  const end = async ({ dockStatusId }: DockBody) => {
    const read = async () => (await now().api.get<DockBody>(`${DOCK}/${dockStatusId}`)).body;
    return eventually(read, ({ status }) => status !== 'IN_PROGRESS', PATIENCE_MS);
  };

  const files = await filesOf(now(), { flow: FLOW });
  const imported = await end(await during('import', () => post<DockBody>('/import', { toolName: 'A tool', ...files })));
  expect(imported).toMatchObject({ status: 'SUCCESS' });
  const { toolId } = imported;
  expect(await database.rows('select from tool_version where tool_id = $1', [toolId])).toHaveLength(1);
  const deployed = await end(await during('deploy', () => post<DockBody>(`/${toolId}/deploy`, { isAsync: true })));
  expect(deployed).toMatchObject({ status: 'SUCCESS' });

  received.splice(0);
  const { runId } = await during('execute', () => post<RunBody>(`/${toolId}/execute`, { input: {}, isAsync: true }));
  const read = async () => (await now().api.get<RunDetails>(`${TOOLS}/${toolId}/runs/${runId}`)).body;
  const run = await eventually(read, ({ status }) => status === 'completed' || status === 'failed', PATIENCE_MS);
  expect(run).toMatchObject({ status: 'completed' });
  expect(run.nodes.map(({ nodeId }) => nodeId)).toEqual([
    'start',
    'call_1',
    'random',
    'call_2',
    'call_3',
    'again',
    'end',
  ]);
  // The output that was committed before the crash is the one that the run ends with.
  expect(run.output).toBe(run.nodes[2]!.output);
  // At most one node runs twice, and its second request has the same idempotency key.
  expect(new Set(received.map(({ key, n }) => `${key} ${n}`)).size).toBe(3);
  expect(received.length).toBeLessThanOrEqual(fatal === 'execute' ? 4 : 3);

  const exported = await end(
    await during('export', () => post<DockBody>(`/${toolId}/export`, undefined, { flowId: 'main' })),
  );
  expect(exported).toMatchObject({ status: 'SUCCESS' });
});

it('a suspended run survives a restart, and its time still ends', async () => {
  service ??= await startProcess(settings);
  const tenant = await makeTenant(service);
  const files = await filesOf(tenant, { flow: flowOf([{ id: 'wait', type: 'wait', timeoutSeconds: 4 }]) });
  const { body } = await tenant.api.post<DockBody>(`${TOOLS}/import`, { toolName: 'A tool', ...files });
  await eventually(async () => {
    const { body: tool } = await tenant.api.get<{ status: string }>(`${TOOLS}/${body.toolId}`);
    return tool.status === 'READY';
  });
  await tenant.api.post(`${TOOLS}/${body.toolId}/deploy`, { isAsync: false });
  const { body: run } = await tenant.api.post<RunBody>(`${TOOLS}/${body.toolId}/execute`, { input: {} });
  expect(run.status).toBe('suspended');
  await service.kill();
  service = await startProcess(settings);
  const api = Client.withKey(service, tenant.key);
  const path = `${TOOLS}/${body.toolId}/runs/${run.runId}`;
  const ended = await eventually(
    async () => (await api.get<RunDetails>(path)).body,
    ({ status }) => status === 'failed',
    PATIENCE_MS,
  );
  expect(ended.error).toMatchObject({ code: 'WAIT_TIMED_OUT' });
});
