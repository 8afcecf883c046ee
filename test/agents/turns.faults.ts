import { setTimeout as wait } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { randomFrom } from '../faults/task-service.js';
import { ledgerOf } from '../gateway/calls.js';
import { deployedTool, flowOf } from '../tools/make.js';
import { makeActiveAgent, runsPath, type RunBody, say } from './make.js';

const SEEDS = Array.from({ length: 10 }, (_, at) => at + 1);

const settings = settingsFor(await createDatabase());
const database = new TestDatabase(settings.DATABASE_URL!);
let service: ServiceProcess;

/** Answers slowly, so that a tool that calls it runs for a while. */
const slow = createServer((_request, response) => {
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"place":"Oslo"}'), 150);
});
await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;

afterAll(async () => {
  await service.kill();
  await database.end();
  slow.close();
});

it.each(SEEDS)('a turn whose process is killed continues where it was (seed %s)', async (seed) => {
  const random = randomFrom(seed);
  service ??= await startProcess(settings);
  const tenant = await makeTenant(service);
  const flow = flowOf([{ id: 'ask', type: 'http', url }], { end: { output: { place: '{{ nodes.ask.body.place }}' } } });
  const toolId = await deployedTool(tenant, { flow });
  await makeActiveAgent(service, tenant, { toolIds: [toolId] });
  say(tenant, 'killed', 'Ask a_tool where it is').catch(() => undefined);
  await wait(20 + random() * 350);
  await service.kill();
  service = await startProcess(settings);

  const [run] = await database.rows<{ id: string }>('select id from run where app_id = $1', [tenant.appId]);
  if (!run) return;
  const api = Client.withKey(service, tenant.key);
  const { body } = await eventually(
    () => api.get<RunBody>(`${runsPath(tenant)}/${run.id}`),
    ({ body: { status } }) => status === 'completed' || status === 'failed',
    60_000,
  );
  expect(body).toMatchObject({ status: 'completed', usage: { calls: 2, toolCalls: 1 } });
  expect(await ledgerOf({ ...tenant, api })).toHaveLength(2);
  const steps = await database.rows<{ kind: string }>(
    `select kind from session_memory m join run on run.session_id = m.session_id where run.id = $1 order by step`,
    [run.id],
  );
  expect(steps.map(({ kind }) => kind)).toEqual(['user', 'model', 'tool', 'model', 'answer']);
});
