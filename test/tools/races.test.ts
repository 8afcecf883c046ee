import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Id } from '../../src/kernel/ids.js';
import { Suspensions } from '../../src/modules/tools/callbacks/suspensions.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import {
  deployedTool,
  type DockBody,
  ended,
  execute,
  filesOf,
  flowOf,
  importedTool,
  type RunBody,
  TOOLS,
} from './make.js';

const service = await startService({ RATE_LIMIT_DEFAULT: '0' });
const tenant = await makeTenant(service);
const { api } = tenant;
const administrator = administratorOf(service);
/** The requests of nodes, which the test answers later. */
const held: ServerResponse[] = [];
const receiver = createServer((_request, response) => void held.push(response));
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const there = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await service.stop();
});

const SLOW = flowOf([{ id: 'call', type: 'http', url: there }]);
const WAITING = flowOf([{ id: 'wait', type: 'wait', timeoutSeconds: 600 }]);

const deploy = (toolId: string) => api.post<DockBody>(`${TOOLS}/${toolId}/deploy`, { isAsync: true });
const undeploy = (toolId: string) => api.post<DockBody>(`${TOOLS}/${toolId}/undeploy`);
const exportOf = (toolId: string) =>
  api.post<DockBody>(`${TOOLS}/${toolId}/export`, undefined, { query: { flowId: 'main' } });
const remove = (toolId: string) =>
  administrator.send<object>('DELETE', `/api/admin/v1/projects/${tenant.projectId}/tools/${toolId}`);
const statusOf = async (toolId: string) => (await api.get<{ status: string }>(`${TOOLS}/${toolId}`)).body.status;
const outcomes = (answers: readonly Answer<unknown>[]) => answers.map(({ outcome }) => outcome);

/** Waits for the end of all dock jobs that the answers have started. */
async function allEnded(answers: readonly Answer<DockBody>[]): Promise<DockBody[]> {
  const started = answers.filter(({ status }) => status === 200);
  return Promise.all(started.map(({ body }) => ended(tenant, body)));
}

const ROUNDS = [1, 2, 3, 4, 5];

it('a tool that is deployed several times at once is deployed once, and the other requests are refused', async () => {
  const toolId = await importedTool(tenant);
  const answers = await Promise.all(Array.from({ length: 6 }, () => deploy(toolId)));
  for (const outcome of outcomes(answers)) expect(['200', '409 JOB_IN_PROGRESS']).toContain(outcome);
  for (const job of await allEnded(answers)) expect(job.status).toBe('SUCCESS');
  expect(await statusOf(toolId)).toBe('DEPLOYED');
});

it.each(ROUNDS)('a tool that is deployed and undeployed at the same moment is one of the two (%d)', async () => {
  const toolId = await deployedTool(tenant);
  const answers = await Promise.all([deploy(toolId), undeploy(toolId), deploy(toolId), undeploy(toolId)]);
  for (const outcome of outcomes(answers)) {
    expect(['200', '409 JOB_IN_PROGRESS', '409 TOOL_NOT_DEPLOYED']).toContain(outcome);
  }
  for (const job of await allEnded(answers)) expect(job.status).toBe('SUCCESS');
  const isDeployed = (await statusOf(toolId)) === 'DEPLOYED';
  expect((await execute(tenant, toolId)).outcome).toBe(isDeployed ? '200' : '409 TOOL_NOT_DEPLOYED');
});

it('a tool with several imports at once has a version for each that was accepted', async () => {
  const toolId = await importedTool(tenant);
  const files = await filesOf(tenant);
  const imports = Array.from({ length: 6 }, () => api.post<DockBody>(`${TOOLS}/${toolId}/import`, files));
  const answers = await Promise.all(imports);
  for (const outcome of outcomes(answers)) expect(['200', '409 JOB_IN_PROGRESS']).toContain(outcome);
  const jobs = await allEnded(answers);
  expect(jobs.length).toBeGreaterThan(0);
  for (const job of jobs) expect(job.status).toBe('SUCCESS');
  const versions = await service.database.rows<{ number: number }>(
    'select number from tool_version where tool_id = $1 order by number',
    [toolId],
  );
  expect(versions.map(({ number }) => number)).toEqual(Array.from({ length: jobs.length + 1 }, (_, at) => at + 1));
});

it.each(ROUNDS)(
  'a tool that is deleted while it is deployed and exported exists or not, with everything that belongs to it (%d)',
  async () => {
    const toolId = await importedTool(tenant);
    const files = await filesOf(tenant);
    const [deleted, ...others] = await Promise.all([
      remove(toolId),
      deploy(toolId),
      exportOf(toolId),
      api.post<DockBody>(`${TOOLS}/${toolId}/import`, files),
      execute(tenant, toolId),
      undeploy(toolId),
    ]);
    const known = ['200', '404 TOOL_NOT_FOUND', '409 JOB_IN_PROGRESS', '409 TOOL_NOT_DEPLOYED'];
    for (const outcome of outcomes(others)) expect(known).toContain(outcome);
    expect(['200', '409 JOB_IN_PROGRESS', '409 TOOL_DEPLOYED']).toContain(deleted.outcome);
    await eventually(async () => (await jobsOf(toolId)) === 0);
    expect((await api.get(`${TOOLS}/${toolId}`)).status).toBe(deleted.status === 200 ? 404 : 200);
  },
);

it('a request that waits for a run learns that its tool has been deleted', async () => {
  const toolId = await deployedTool(tenant, { flow: SLOW });
  held.length = 0;
  const running = execute(tenant, toolId);
  await eventually(() => held.length > 0);
  expect((await undeploy(toolId)).outcome).toBe('200');
  expect((await remove(toolId)).outcome).toBe('200');
  expect((await running).outcome).toBe('404 TOOL_NOT_FOUND');
  held[0]!.end('late');
  await eventually(async () => (await runJobs()) === 0);
});

it('a run fails if an administrator cancels its job', async () => {
  const toolId = await deployedTool(tenant, { flow: SLOW });
  held.length = 0;
  const running = execute(tenant, toolId);
  await eventually(() => held.length > 0);
  const [job] = await service.database.rows<{ id: string }>(
    `select id from job where name = 'tools.run' and state = 'running'`,
  );
  expect((await administrator.post(`/api/admin/v1/jobs/${job!.id}/cancel`)).outcome).toBe('200');
  expect((await running).body).toMatchObject({ status: 'failed', error: { code: 'RUN_CANCELLED' } });
  held[0]!.end('late');
});

it('a run that is cancelled and deleted at the same moment is one of the two', async () => {
  const toolId = await deployedTool(tenant, { flow: WAITING });
  const { body: run } = await execute(tenant, toolId);
  expect(run.status).toBe('suspended');
  await undeploy(toolId);
  const cancel = () => api.post<RunBody>(`${TOOLS}/${toolId}/runs/${run.runId}/cancel`);
  const [deleted, ...cancelled] = await Promise.all([remove(toolId), cancel(), cancel(), cancel()]);
  expect(deleted.outcome).toBe('200');
  const known = ['200', '404 TOOL_NOT_FOUND', '404 RUN_NOT_FOUND', '409 RUN_ENDED'];
  for (const outcome of outcomes(cancelled)) expect(known).toContain(outcome);
});

it('a run does not exist any more if its tool is deleted at the moment of its callback', async () => {
  const toolId = await deployedTool(tenant, { flow: WAITING });
  const { body: run } = await execute(tenant, toolId);
  const suspensions = service.app.get(Suspensions);
  const { id, secret } = await suspensions.open(run.runId as Id<'toolRun'>, 1);
  const deleting = await service.database.openTransaction('delete from tool_run where id = $1', [run.runId]);
  const headers = { 'x-callback-signature': `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}` };
  const calling = new Client(service.url).send('POST', `/api/v1/callbacks/${id}`, { rawBody: '{}', headers });
  await eventually(async () => (await service.database.waiting()).length > 0);
  await deleting.commit();
  expect((await calling).outcome).toBe('401 CALLBACK_EXPIRED');
});

async function jobsOf(toolId: string): Promise<number> {
  const rows = await service.database.rows(`select from dock_job where target_id = $1 and status = 'IN_PROGRESS'`, [
    toolId,
  ]);
  return rows.length;
}

async function runJobs(): Promise<number> {
  const rows = await service.database.rows(
    `select from job where name = 'tools.run' and state in ('queued', 'running', 'suspended')`,
  );
  return rows.length;
}
