import { administratorOf, makeTenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { open, upload } from '../files/files.js';
import {
  deployedTool,
  type DockBody,
  ended,
  endedRun,
  exampleParts,
  execute,
  filesOf,
  flowOf,
  importedTool,
  importTool,
  outcomeOf,
  type RunBody,
  runOf,
  toolDocument,
  TOOLS,
  uploadJson,
} from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
const { api } = tenant;
const administrator = administratorOf(service);
afterAll(() => service.stop());

const ID = expect.stringMatching(/^ds-\w{22}$/) as string;
const TOOL_ID = expect.stringMatching(/^a-\w{22}$/) as string;

describe('the example of the documentation', () => {
  it('is imported, deployed, executed, exported, undeployed, with the answers of the specification', async () => {
    const { tool, flow } = await exampleParts();
    const imported = await api.post<DockBody>(`${TOOLS}/import`, {
      toolName: 'Temperature',
      ...(await filesOf(tenant, { tool, flow })),
    });
    expect(imported.outcome).toBe('200');
    expect(imported.body).toStrictEqual({
      dockStatusId: ID,
      toolId: TOOL_ID,
      jobType: 'TOOLS',
      action: 'IMPORT',
      status: 'IN_PROGRESS',
    });
    expect(await ended(tenant, imported.body)).toMatchObject({ status: 'SUCCESS', percentageComplete: 100 });
    const { toolId } = imported.body;
    expect((await execute(tenant, toolId, { celsius: 20 })).outcome).toBe('409 TOOL_NOT_DEPLOYED');

    const deployed = await api.post<DockBody>(`${TOOLS}/${toolId}/deploy`, { isAsync: false });
    expect(deployed.body).toStrictEqual({
      dockStatusId: ID,
      toolId,
      jobType: 'TOOLS',
      action: 'DEPLOY',
      status: 'SUCCESS',
    });
    const run = await execute(tenant, toolId, { celsius: 20 });
    expect(run.body).toStrictEqual({
      runId: expect.stringMatching(/^r-\w{22}$/) as string,
      status: 'completed',
      output: { fahrenheit: 68, advice: 'No coat needed.' },
    });
    expect((await execute(tenant, toolId, { celsius: -1.5 })).body.output).toEqual({
      fahrenheit: 29.3,
      advice: 'Wear a coat.',
    });

    const exported = await api.post<DockBody>(`${TOOLS}/${toolId}/export`, undefined, { query: { flowId: 'main' } });
    expect(exported.body).toStrictEqual({
      dockStatusId: ID,
      toolId,
      jobType: 'TOOLS',
      action: 'EXPORT',
      status: 'IN_PROGRESS',
      exportJobId: expect.stringMatching(/^tool-ej-\w{22}$/) as string,
      response: { downloadUrl: expect.stringMatching(/^http/) as string },
    });

    const undeployed = await api.post<DockBody>(`${TOOLS}/${toolId}/undeploy`).then(async (answer) => {
      if (answer.outcome !== '409 JOB_IN_PROGRESS') return answer;
      await ended(tenant, exported.body);
      return api.post<DockBody>(`${TOOLS}/${toolId}/undeploy`);
    });
    expect(undeployed.body).toStrictEqual({
      dockStatusId: ID,
      toolId,
      jobType: 'TOOLS',
      action: 'UNDEPLOY',
      status: 'SUCCESS',
    });
    expect((await execute(tenant, toolId, { celsius: 20 })).outcome).toBe('409 TOOL_NOT_DEPLOYED');
    const again = await api.post<Refused>(`${TOOLS}/${toolId}/undeploy`);
    expect(again.outcome).toBe('409 TOOL_NOT_DEPLOYED');
    expect(again.body.error.message).toBe('This is not deployed, so there is nothing to undeploy. Deploy it first.');
  });

  it('uses its env file where it has one', async () => {
    expect(await outcomeOf(tenant, await exampleParts(), { celsius: 20.2 })).toMatchObject({
      output: { fahrenheit: 68 },
    });
  });
});

describe('an export', () => {
  it('is a ZIP that can be imported again, with empty secrets', async () => {
    const toolId = await importedTool(tenant, await exampleParts());
    const started = await api.post<DockBody>(`${TOOLS}/${toolId}/export`, undefined, { query: { flowId: 'main' } });
    const job = await ended(tenant, started.body);
    const { status, bytes, headers } = await open(job.response!.downloadUrl as string);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(bytes.includes('replace-me')).toBe(false);

    const file = await upload(api, { name: 'export.zip', content: new Uint8Array(bytes), fileContext: 'tool' });
    const { fileId } = file.body;
    const again = await api.post<DockBody>(`${TOOLS}/import`, {
      toolName: 'Again',
      toolDataFileId: fileId,
      flowDataFileId: fileId,
      envVariablesFileId: fileId,
    });
    expect((await ended(tenant, again.body)).status).toBe('SUCCESS');
    const views = await Promise.all(
      [toolId, again.body.toolId].map(async (id) => (await api.get<object>(`${TOOLS}/${id}`)).body),
    );
    const same = views.map((view) => {
      const { name, description, inputSchema, callflows, variables } = view as Record<string, unknown>;
      return { name, description, inputSchema, callflows, variables };
    });
    expect(same[1]).toEqual(same[0]);
  });

  it('takes the name of a callflow that the tool has, and no other', async () => {
    const toolId = await importedTool(tenant);
    const wrong = await api.post(`${TOOLS}/${toolId}/export`, undefined, { query: { flowId: 'other' } });
    expect(wrong.outcome).toBe('404 CALLFLOW_NOT_FOUND');
    expect((await api.post(`${TOOLS}/${toolId}/export`)).outcome).toBe('400 VALIDATION_ERROR');
  });
});

describe('versions', () => {
  const returning = (value: number) => flowOf([{ id: 'give', type: 'script', code: `return ${value};` }]);
  const at = (toolId: string) => `/api/admin/v1/projects/${tenant.projectId}/tools/${toolId}`;

  it('are imported into a tool, deployed on request, and rolled back at once', async () => {
    const toolId = await deployedTool(tenant, { flow: returning(1) });
    const files = await filesOf(tenant, { flow: returning(2) });
    await ended(tenant, (await api.post<DockBody>(`${TOOLS}/${toolId}/import`, files)).body);
    expect((await execute(tenant, toolId)).body.output).toBe(1);
    await api.post(`${TOOLS}/${toolId}/deploy`, { isAsync: false });
    expect((await execute(tenant, toolId)).body.output).toBe(2);

    const { body } = await administrator.get<{ data: { versionId: string; number: number; isDeployed: boolean }[] }>(
      `${at(toolId)}/versions`,
    );
    expect(body.data.map(({ number, isDeployed }) => [number, isDeployed])).toEqual([
      [2, true],
      [1, false],
    ]);
    const { versionId } = body.data[1]!;
    expect((await administrator.post(`${at(toolId)}/roll-back`, { versionId })).outcome).toBe('200');
    expect((await execute(tenant, toolId)).body.output).toBe(1);
  });

  it('stay as they were if an import fails', async () => {
    const toolId = await deployedTool(tenant, { flow: returning(1) });
    const files = await filesOf(tenant, { flow: flowOf([{ id: 'x', type: 'unknown' }]) });
    const job = await ended(tenant, (await api.post<DockBody>(`${TOOLS}/${toolId}/import`, files)).body);
    expect(job.status).toBe('FAILED');
    expect((await execute(tenant, toolId)).body.output).toBe(1);
    expect((await api.get(`${TOOLS}/${toolId}`)).body).toMatchObject({ status: 'DEPLOYED' });
  });

  it('are deleted with their tool, which must not be deployed', async () => {
    const toolId = await deployedTool(tenant);
    await execute(tenant, toolId);
    expect((await administrator.delete(at(toolId))).outcome).toBe('409 TOOL_DEPLOYED');
    await api.post(`${TOOLS}/${toolId}/undeploy`);
    expect((await administrator.delete(at(toolId))).outcome).toBe('200');
    expect((await api.get(`${TOOLS}/${toolId}`)).outcome).toBe('404 TOOL_NOT_FOUND');
  });
});

describe('what is refused at once', () => {
  it.each([
    ['an unknown file', async () => 'f-0VJ8kQ2xT4bN7mRw1ZcYp3', '404 FILE_NOT_FOUND'],
    ['an ill-formed id', async () => 'nonsense', '404 FILE_NOT_FOUND'],
    ['a file of another kind', async () => uploadJson(tenant, 'a,b', 'table.csv'), '400 TOOL_FILE_UNSUITABLE'],
    ['a file that is too large', async () => uploadJson(tenant, 'x'.repeat(3e6), 'a.txt'), '400 TOOL_FILE_UNSUITABLE'],
  ])('is %s', async (_, file, outcome) => {
    const files = await filesOf(tenant);
    const body = { toolName: 'A tool', ...files, flowDataFileId: await file() };
    expect((await api.post(`${TOOLS}/import`, body)).outcome).toBe(outcome);
  });

  it('is a file of another project', async () => {
    const other = await makeTenant(service);
    const body = { toolName: 'A tool', ...(await filesOf(other)) };
    expect((await api.post(`${TOOLS}/import`, body)).outcome).toBe('404 FILE_NOT_FOUND');
  });

  it('is any other dock job while one runs for the tool', async () => {
    const files = await filesOf(tenant);
    const { body } = await api.post<DockBody>(`${TOOLS}/import`, { toolName: 'A tool', ...files });
    const again = await api.post(`${TOOLS}/${body.toolId}/import`, files);
    const answers = ['200', '409 JOB_IN_PROGRESS'];
    expect(answers).toContain(again.outcome);
    if (again.outcome !== '200') expect(again.text).toContain(body.dockStatusId);
  });

  it('is the deployment of a tool whose import failed', async () => {
    const { toolId } = await importTool(tenant, { flow: {} });
    expect((await api.post(`${TOOLS}/${toolId}/deploy`, { isAsync: true })).outcome).toBe('409 TOOL_NOT_READY');
    const error = { code: 'FLOW_DOCUMENT_INVALID', message: expect.any(String) as string };
    expect((await api.get(`${TOOLS}/${toolId}`)).body).toMatchObject({ status: 'FAILED', name: null, error });
  });

  it('is an invalid input, with all its faults', async () => {
    const inputSchema = {
      type: 'object',
      properties: { city: { type: 'string', pattern: '^(a+)+$' }, days: { type: 'integer' } },
      required: ['days'],
    };
    const toolId = await deployedTool(tenant, { tool: toolDocument({ inputSchema }) });
    const begun = performance.now();
    const answer = await execute(tenant, toolId, { city: `${'a'.repeat(50_000)}!` });
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(answer).toMatchObject({ outcome: '400 TOOL_INPUT_INVALID', faults: ['input.days', 'input.city'] });
    expect((await execute(tenant, toolId, { city: 'aaa', days: 2 })).body.status).toBe('completed');
  });
});

describe('an input of very many values', () => {
  it('is refused at once if the schema has many parts, and checked if it has few', async () => {
    const input = { numbers: Array.from({ length: 20_000 }, () => 1) };
    const schemaOf = (items: object) => ({ type: 'object', properties: { numbers: { type: 'array', items } } });
    const none = Array.from({ length: 300 }, (_, at) => ({ not: { const: at + 2 } }));
    const large = toolDocument({ inputSchema: schemaOf({ allOf: none }) });
    const answer = await execute(tenant, await deployedTool(tenant, { tool: large }), input);
    expect(answer).toMatchObject({ outcome: '400 TOOL_INPUT_INVALID', faults: ['input'] });
    const small = toolDocument({ inputSchema: schemaOf({ type: 'integer' }) });
    expect((await execute(tenant, await deployedTool(tenant, { tool: small }), input)).body.status).toBe('completed');
  });
});

describe('a run', () => {
  it('is recorded node by node', async () => {
    const toolId = await deployedTool(tenant, {
      flow: flowOf([{ id: 'add', type: 'script', code: 'return input.a + 1;' }], {
        end: { output: { sum: '{{ nodes.add }}', text: 'It is {{ nodes.add }}.' } },
      }),
    });
    const { body } = await execute(tenant, toolId, { a: 2 });
    expect(await runOf(tenant, toolId, body.runId)).toMatchObject({
      ...body,
      toolId,
      flowId: 'main',
      input: { a: 2 },
      output: { sum: 3, text: 'It is 3.' },
      nodes: [
        { step: 1, nodeId: 'start', type: 'start', status: 'completed', output: { a: 2 } },
        { step: 2, nodeId: 'add', type: 'script', status: 'completed', output: 3 },
        { step: 3, nodeId: 'end', type: 'end', status: 'completed', output: { sum: 3, text: 'It is 3.' } },
      ],
    });
    const { body: list } = await api.get<{ runs: { runId: string }[] }>(`${TOOLS}/${toolId}/runs`);
    expect(list.runs.map(({ runId }) => runId)).toEqual([body.runId]);
  });

  it('is answered at once when it is asynchronous', async () => {
    const toolId = await deployedTool(tenant, { flow: flowOf([{ id: 'a', type: 'script', code: 'return 1;' }]) });
    const { body } = await execute(tenant, toolId, {}, { isAsync: true });
    expect(body).toStrictEqual({ runId: body.runId, status: 'running' });
    expect(await endedRun(tenant, toolId, body.runId)).toMatchObject({ status: 'completed', output: 1 });
  });

  it('is answered with its present state under the same Idempotency-Key', async () => {
    const toolId = await deployedTool(tenant);
    const headers = { 'idempotency-key': 'once' };
    const send = (more: object = {}) =>
      api.post<RunBody>(`${TOOLS}/${toolId}/execute`, { input: { a: 1 }, isAsync: true, ...more }, { headers });
    const first = await send();
    const ended = await endedRun(tenant, toolId, first.body.runId);
    const again = await send();
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(again.body).toMatchObject({ runId: first.body.runId, status: 'completed', output: ended.output });
    for (const other of [{ input: { a: 2 } }, { timeoutMs: 500 }, { isAsync: false }, { flowId: 'main' }])
      expect((await send(other)).outcome).toBe('422 IDEMPOTENCY_KEY_REUSED');
  });

  it('begins once, however many requests with the same Idempotency-Key arrive at the same time', async () => {
    const toolId = await deployedTool(tenant);
    const headers = { 'idempotency-key': 'at-once' };
    const send = () => api.post<RunBody>(`${TOOLS}/${toolId}/execute`, { input: {} }, { headers });
    for (const { outcome } of await Promise.all([send(), send(), send()]))
      expect(['200', '409 IDEMPOTENCY_IN_PROGRESS']).toContain(outcome);
    const { runId } = (await send()).body;
    const { body: list } = await api.get<{ runs: { runId: string }[] }>(`${TOOLS}/${toolId}/runs`);
    expect(list.runs.map((run) => run.runId)).toEqual([runId]);
  });

  it('uses the callflow that is named, and otherwise the first one', async () => {
    const callflow = (id: string) => ({
      id,
      name: id,
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'end', type: 'end', output: id },
      ],
      edges: [{ from: 'start', to: 'end' }],
    });
    const toolId = await deployedTool(tenant, {
      flow: { schemaVersion: '1.0', callflows: [callflow('one'), callflow('two')] },
    });
    expect((await execute(tenant, toolId)).body.output).toBe('one');
    expect((await execute(tenant, toolId, {}, { flowId: 'two' })).body.output).toBe('two');
    expect((await execute(tenant, toolId, {}, { flowId: 'three' })).outcome).toBe('404 CALLFLOW_NOT_FOUND');
  });
});
