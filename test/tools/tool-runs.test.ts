import type { Transaction } from '../../src/platform/database/transaction.js';
import { EntityManager } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { AppModule } from '../../src/app.module.js';
import { type Id, newId } from '../../src/kernel/ids.js';
import { Suspension } from '../../src/modules/tools/callbacks/suspension.entity.js';
import { ToolRun } from '../../src/modules/tools/runs/tool-run.entity.js';
import {
  type EndedToolRun,
  ListensToToolRuns,
  type ToolCaller,
  ToolRunListener,
} from '../../src/modules/tools/tools.port.js';
import { ToolRuns, type ToolRunRequest } from '../../src/modules/tools/runs/tool-runs.service.js';
import { Suspensions } from '../../src/modules/tools/callbacks/suspensions.js';
import { Database } from '../../src/platform/database/database.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { deployedTool, flowOf, importedTool, runOf, toolDocument, TOOLS } from './make.js';

const endedRuns: EndedToolRun[] = [];
/** Whether the run was locked already, for each call that locks the caller's rows. */
const wasLocked: boolean[] = [];

@ListensToToolRuns('test')
class Listener extends ToolRunListener {
  async lock(_tx: Transaction, { ref }: ToolCaller): Promise<void> {
    const free = await service.database.rows('select from tool_run where caller_ref = $1 for update skip locked', [
      ref,
    ]);
    wasLocked.push(free.length === 0);
  }

  async onEnded(_tx: Transaction, ended: EndedToolRun): Promise<void> {
    endedRuns.push(ended);
  }
}

@Module({ imports: [AppModule], providers: [Listener] })
class WithListener {}

const service = await startService({}, WithListener);
const tenant = await makeTenant(service);
const runs = service.app.get(ToolRuns);
const database = service.app.get(Database);
const projectId = tenant.projectId as Id<'project'>;
afterAll(() => service.stop());

let keys = 0;
type Members = Partial<Omit<ToolRunRequest, 'toolId'>> & { toolId: string };

const run = ({ toolId, ...members }: Members) => {
  keys += 1;
  const standard = { projectId, input: {}, idempotencyKey: `test ${keys}`, signal: new AbortController().signal };
  return database.apart(() => runs.run({ ...standard, ...members, toolId: toolId as Id<'tool'> }));
};
const giving = (code: string) => flowOf([{ id: 's', type: 'script', code }]);

it('lists the deployed tools among those that are asked for, in the same order', async () => {
  const tool = (name: string) => ({ tool: toolDocument({ name, description: `Does ${name}.` }) });
  const [first, second, undeployed] = [
    await deployedTool(tenant, tool('first')),
    await deployedTool(tenant, tool('second')),
    await importedTool(tenant, tool('third')),
  ];
  const asked = [second, undeployed, first, newId('tool')] as Id<'tool'>[];
  expect(await database.apart(() => runs.callable(projectId, asked))).toEqual([
    { id: second, name: 'second', description: 'Does second.', inputSchema: { type: 'object' }, authProfiles: [] },
    { id: first, name: 'first', description: 'Does first.', inputSchema: { type: 'object' }, authProfiles: [] },
  ]);
  const other = await makeTenant(service);
  expect(await database.apart(() => runs.callable(other.projectId as Id<'project'>, asked))).toEqual([]);
});

it('runs a tool once under one key, and answers the same again', async () => {
  const toolId = await deployedTool(tenant, { flow: giving('return Math.random();') });
  const first = await run({ toolId, idempotencyKey: 'once' });
  expect(first).toMatchObject({ status: 'completed', output: expect.any(Number) as number });
  expect(await run({ toolId, idempotencyKey: 'once' })).toEqual(first);
  const together = await Promise.all([1, 2, 3].map(() => run({ toolId, idempotencyKey: 'together' })));
  expect(new Set(together.map((result) => JSON.stringify(result))).size).toBe(1);
});

it('fails if the input is invalid or an authorization is missing, and says so', async () => {
  const inputSchema = { type: 'object', required: ['city'] };
  const toolId = await deployedTool(tenant, { tool: toolDocument({ inputSchema, authProfiles: ['calendar'] }) });
  expect(await run({ toolId, input: { city: 'Oslo' } })).toMatchObject({
    status: 'failed',
    error: { code: 'AUTHORIZATION_REQUIRED', message: expect.stringContaining('calendar') as string },
  });
  expect(await run({ toolId, userTokens: { calendar: 'token-of-the-user' } })).toMatchObject({
    status: 'failed',
    error: { code: 'TOOL_INPUT_INVALID', message: expect.stringContaining('input.city') as string },
  });
});

it('gives the user’s tokens to templates, and never shows them', async () => {
  const flow = flowOf([], { end: { output: 'Bearer {{ tokens.calendar }}' } });
  const toolId = await deployedTool(tenant, { tool: toolDocument({ authProfiles: ['calendar'] }), flow });
  const result = await run({ toolId, userTokens: { calendar: 'canary-of-the-user-01' } });
  expect(result).toMatchObject({ output: 'Bearer ca********r-01' });
  expect(JSON.stringify(await service.database.dump())).not.toContain('canary-of-the-user');
});

it('gives a tool no token that it does not name', async () => {
  const flow = flowOf([], { end: { output: '[{{ tokens["Company login"] }}][{{ tokens.mail }}]' } });
  const toolId = await deployedTool(tenant, { tool: toolDocument({ authProfiles: ['Company login'] }), flow });
  const userTokens = { 'Company login': 'canary-of-the-user-02', mail: 'canary-of-the-user-03' };
  expect(await run({ toolId, userTokens })).toMatchObject({ output: '[ca********r-02][]' });
});

it('refuses a tool that is not deployed, and a tool of another project', async () => {
  const toolId = await importedTool(tenant);
  await expect(run({ toolId })).rejects.toMatchObject({ spec: { code: 'TOOL_NOT_DEPLOYED' } });
  const other = await makeTenant(service);
  await expect(run({ toolId, projectId: other.projectId as Id<'project'> })).rejects.toMatchObject({
    spec: { code: 'TOOL_NOT_FOUND' },
  });
});

it('continues a run after its last step when the caller calls again', async () => {
  const flow = flowOf([
    { id: 'first', type: 'script', code: 'return Math.random();' },
    { id: 'second', type: 'http', url: 'http://127.0.0.1:1/', retry: { attempts: 10, delayMs: 60_000 } },
  ]);
  const toolId = await deployedTool(tenant, { flow });
  const gone = new AbortController();
  const idempotencyKey = 'goes on';
  const began = run({ toolId, idempotencyKey, signal: gone.signal, timeoutMs: 60_000 });
  const [row] = await eventually(
    () =>
      service.database.rows<{ id: string; output: string }>(
        `select tool_run.id, step.output from tool_run join tool_run_step step on run_id = tool_run.id
       where idempotency_key = $1 and node_id = 'first'`,
        [idempotencyKey],
      ),
    (rows) => rows.length === 1,
  );
  gone.abort(new Error('The process dies'));
  await expect(began).rejects.toThrow('The process dies');
  expect((await runOf(tenant, toolId, row!.id)).status).toBe('running');

  await service.database.rows(`update tool_run set timeout_ms = 1 where id = $1`, [row!.id]);
  expect(await run({ toolId, idempotencyKey })).toMatchObject({ runId: row!.id, error: { code: 'RUN_TIMED_OUT' } });
  const { nodes } = await runOf(tenant, toolId, row!.id);
  expect(nodes[1]).toMatchObject({ nodeId: 'first', output: Number(row!.output) });
});

it('suspends a run, and notifies the caller of its outcome', async () => {
  const flow = flowOf([{ id: 'wait', type: 'wait', timeoutSeconds: 3_600 }]);
  const toolId = await deployedTool(tenant, { flow });
  const caller = { name: 'test', ref: 'turn 1 step 2' };
  const result = await run({ toolId, idempotencyKey: 'suspends', caller });
  expect(result).toMatchObject({ status: 'suspended', until: expect.any(Date) as Date });
  expect(await run({ toolId, idempotencyKey: 'suspends', caller })).toEqual(result);

  const { id, secret } = await database.apart(() => service.app.get(Suspensions).open(result.runId, 1));
  const rawBody = '{"answer":42}';
  const signature = `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
  await new Client(service.url).send('POST', `/api/v1/callbacks/${id}`, {
    rawBody,
    headers: { 'x-callback-signature': signature },
  });
  await eventually(() => endedRuns.length > 0);
  expect(wasLocked).toEqual([false]);
  const { runId } = result;
  expect(endedRuns).toEqual([
    { runId, projectId, caller, result: { runId, status: 'completed', output: { answer: 42 } } },
  ]);
  expect(await run({ toolId, idempotencyKey: 'suspends', caller })).toEqual(endedRuns[0]!.result);
});

it('gives other modules a run as an entity, with its tool, steps and suspensions', async () => {
  const flow = flowOf([{ id: 'wait', type: 'wait', timeoutSeconds: 3_600 }]);
  const toolId = (await deployedTool(tenant, { flow })) as Id<'tool'>;
  const { runId } = await run({ toolId });
  await database.apart(async () => {
    const em = service.app.get(EntityManager);
    const [found] = await em.find(ToolRun, { tool: toolId }, { populate: ['tool', 'version', 'steps'] });
    expect(found).toMatchObject({ id: runId, state: 'suspended', version: { number: 1 }, tool: { name: 'A tool' } });
    expect(found!.steps.map(({ nodeId }) => nodeId)).toEqual(['start']);
    expect(await em.findOne(Suspension, { run: found! })).toMatchObject({ number: 1, state: 'open' });
  });
});

it('declares the header of a callback’s signature in the document', async () => {
  type Document = {
    paths: Record<string, { post: { parameters: { name: string; in: string; required?: boolean }[] } }>;
  };
  const { paths } = (await tenant.api.get<Document>('/openapi.json')).body;
  const { parameters } = paths['/api/v1/callbacks/{callbackId}']!.post;
  expect(parameters.find(({ name }) => name === 'X-Callback-Signature')).toMatchObject({
    in: 'header',
    required: true,
  });
});

it('notifies the caller of a suspended run when the tool is deleted', async () => {
  const toolId = await deployedTool(tenant, { flow: flowOf([{ id: 'wait', type: 'wait', timeoutSeconds: 3_600 }]) });
  const result = await run({ toolId, caller: { name: 'test', ref: 'turn 3' } });
  await tenant.api.post(`${TOOLS}/${toolId}/undeploy`);
  endedRuns.length = 0;
  wasLocked.length = 0;
  const path = `/api/admin/v1/projects/${projectId}/tools/${toolId}`;
  expect((await administratorOf(service).send('DELETE', path)).outcome).toBe('200');
  expect(endedRuns).toMatchObject([
    { caller: { ref: 'turn 3' }, result: { runId: result.runId, status: 'failed', error: { code: 'TOOL_DELETED' } } },
  ]);
  expect(wasLocked[0]).toBe(false);
});

it('writes a run as a span of the given trace, with its model calls inside', async () => {
  const flow = flowOf([{ id: 'ask', type: 'llm', model: 'mock', prompt: 'Hello' }]);
  const toolId = await deployedTool(tenant, { tool: toolDocument({ name: 'asks' }), flow });
  const traceId = newId('trace');
  const parentObservationId = newId('observation');
  const result = await run({ toolId, traceId, parentObservationId, sessionId: 's-1', environment: 'staging' });
  expect(result.status).toBe('completed');
  const rows = await service.database.rows<Record<string, unknown>>(
    'select id, kind, name, parent_id, status from observation where trace_id = $1 order by kind',
    [traceId],
  );
  const span = rows.find(({ kind }) => kind === 'SPAN')!;
  expect(span).toMatchObject({ name: 'asks', parent_id: parentObservationId, status: 'success' });
  expect(rows.find(({ kind }) => kind === 'GENERATION')).toMatchObject({ parent_id: span.id });
});

it('fails a run that its caller does not continue', async () => {
  const toolId = await deployedTool(tenant);
  const { runId } = await run({ toolId });
  await service.database.rows(`update tool_run set state = 'running', output = null, ended_at = null where id = $1`, [
    runId,
  ]);
  await service.database.rows(`update job set run_at = now() where name = 'tools.watch-run'`);
  const ended = await eventually(
    () => runOf(tenant, toolId, runId),
    ({ status }) => status === 'failed',
  );
  expect(ended.error).toMatchObject({ code: 'RUN_ABANDONED' });
  expect((await tenant.api.get(`${TOOLS}/${toolId}`)).status).toBe(200);
});
