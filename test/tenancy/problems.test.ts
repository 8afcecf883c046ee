import { newId } from '../../src/kernel/ids.js';
import { makeConnection } from '../connections/make.js';
import { startUpload } from '../files/files.js';
import { ask } from '../gateway/calls.js';
import { aCall, write } from '../ledger/calls.js';
import { importModel, liveModel } from '../models/models.js';
import { administratorOf, makeProject, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { processListeningAt } from '../support/models/listening.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { type DockBody, ended, filesOf, importTool } from '../tools/make.js';
import { change, read, subscribe } from '../webhooks/subscribe.js';

const GIB = 1024 ** 3;

const double = await ModelDouble.start();
const service = await startService({ PROJECT_STORAGE_GIB: '1' });
afterAll(() => Promise.all([service.stop(), double.stop()]));

const problemsOf = async (projectId: string) => {
  const path = `/api/admin/v1/projects/${projectId}/problems`;
  const { body } = await administratorOf(service).get<{ data: unknown[] }>(path);
  return body.data;
};

it('finds nothing where nothing is wrong', async () => {
  const { projectId } = await makeTenant(service);
  expect(await problemsOf(projectId)).toEqual([]);
});

it('finds what is wrong in each module, and leaves other projects out', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  const { connectionId } = await makeConnection(tenant, {
    provider: 'API',
    connectionName: 'The “main” one',
    fields: { BASE_URL: `${double.url}/no-key/v1`, API_KEY: 'sk-not-a-real-key-1234', MODEL_NAME: 'llama' },
  });
  await Promise.all([ask(tenant, connectionId), ask(tenant, connectionId)]);
  const unreadable = await makeConnection(tenant, {
    provider: 'Vendor2',
    connectionName: 'Old',
    model: 'claude-sonnet',
    modelType: 'EASY_INTEGRATION',
    fields: { API_KEY: 'sk-not-a-real-key-1234' },
  });
  const spoil = `update connection set secrets_sealed = replace(secrets_sealed, 'v1.1.', 'v1.7.') where id = $1`;
  await service.database.rows(spoil, [unreadable.connectionId]);
  const timestamp = new Date().toISOString();
  await write(tenant, aCall({ timestamp, status: 'failed', model: 'unknown' }));
  const receivers = [];
  for (const displayName of ['Closed “now”', 'Paused', 'Failing', 'Well']) {
    const wish = { callbackUrl: 'http://127.0.0.1:9/', displayName };
    receivers.push((await subscribe(service, tenant, wish)).subscriptionId);
  }
  const [closed, paused, failing] = receivers;
  await change(service, closed!, { status: 'DISABLED' });
  const fail = 'update webhook_subscription set failing_since = $2, paused_until = $3 where id = $1';
  const [since, until] = ['2026-01-02T03:04:05Z', '2100-01-02T03:04:05Z'];
  await service.database.rows(fail, [paused, since, until]);
  await service.database.rows(fail, [failing, since, since]);
  expect((await read(service, paused!)).pausedUntil).not.toBeNull();
  expect(await read(service, failing!)).toMatchObject({
    pausedUntil: null,
    failingSince: expect.any(String) as string,
  });
  for (const error of ['First.', 'Last.']) {
    await service.database.rows(
      `insert into job (id, name, lane, data, state, run_at, created_at, finished_at, error, project_id)
       values ($1, 'webhooks.deliver', 'a lane', '{}', 'failed', now(), now(), now(), $2, $3)`,
      [newId('job'), error, tenant.projectId],
    );
  }
  await startUpload(tenant.api, { fileSize: GIB, totalChunks: 45 });

  const of = (kind: string, message: string, subject: string | null) => ({ kind, message, subject });
  expect(await problemsOf(tenant.projectId)).toEqual([
    of('CONNECTION_UNREADABLE', 'The secrets of the connection “Old” cannot be read.', unreadable.connectionId),
    of(
      'CONNECTION_FAILING',
      `2 calls of “llama” failed in the last hour. The connection is “The "main" one” (${connectionId}).`,
      connectionId,
    ),
    of('MODEL_CALLS_FAILING', '1 call of “unknown” failed in the last hour.', 'unknown'),
    of('RECEIVER_DISABLED', 'The receiver “Closed "now"” is disabled. An administrator disabled it.', closed!),
    of('RECEIVER_PAUSED', 'The receiver “Paused” is paused until 2100-01-02 03:04:05 UTC.', paused!),
    of('RECEIVER_FAILING', 'The receiver “Failing” has failed since 2026-01-02 03:04:05 UTC.', failing!),
    of('JOBS_FAILED', '2 jobs webhooks.deliver failed. Last.', 'webhooks.deliver'),
    of('STORAGE_FULL', 'The storage is full: 1.0 GiB of 1.0 GiB are used.', null),
  ]);
  expect(await problemsOf(other.projectId)).toEqual([]);
});

it('finds a model that could not be imported', async () => {
  const tenant = await makeTenant(service);
  const modelId = await importModel(tenant.api);
  const failure = { code: 'MODEL_FILE_TRUNCATED', message: 'It is cut off.' };
  await service.database.rows(`update model set state = 'FAILED', failure = $2 where id = $1`, [modelId, failure]);
  const [problem] = await problemsOf(tenant.projectId);
  expect(problem).toMatchObject({ kind: 'MODEL_NOT_IMPORTED', subject: modelId });
  expect(problem).toMatchObject({
    message: expect.stringContaining('could not be imported. It is cut off.') as string,
  });
});

it('finds a tool that could not be imported, until an import succeeds', async () => {
  const tenant = await makeTenant(service);
  const { toolId } = await importTool(tenant, { flow: {} });
  const [problem] = await problemsOf(tenant.projectId);
  expect(problem).toMatchObject({ kind: 'TOOL_NOT_IMPORTED', subject: toolId });
  const { body } = await tenant.api.get<{ error: { message: string } }>(`/api/public/tools/${toolId}`);
  expect(problem).toMatchObject({ message: `The tool “A tool” could not be imported. ${body.error.message}` });
  const { body: job } = await tenant.api.post<DockBody>(`/api/public/tools/${toolId}/import`, await filesOf(tenant));
  await ended(tenant, job);
  expect(await problemsOf(tenant.projectId)).toEqual([]);
  expect(await tenant.api.get(`/api/public/tools/${toolId}`)).not.toHaveProperty('body.error');
});

it('finds an import that failed before a hundred others succeeded', async () => {
  const tenant = await makeTenant(service);
  const [failed, other] = [await importModel(tenant.api), await importModel(tenant.api)];
  const failure = { code: 'MODEL_FILE_TRUNCATED', message: 'It is cut off.' };
  await service.database.rows(`update model set state = 'FAILED', failure = $2 where id = $1`, [failed, failure]);
  await service.database.rows(
    `insert into model select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n))).*
     from model m, generate_series(1, 100) n where m.id = $1`,
    [other],
  );
  expect(await problemsOf(tenant.projectId)).toMatchObject([{ kind: 'MODEL_NOT_IMPORTED', subject: failed }]);
});

it('counts the failed calls of a model that is served here', async () => {
  const tenant = await makeTenant(service);
  const modelId = await liveModel(tenant.api);
  await service.database.rows(
    `update model_replica set address = 'http://127.0.0.1:9'
     where deployment_id in (select id from model_deployment where model_id = $1)`,
    [modelId],
  );
  expect((await ask(tenant, modelId)).status).toBeGreaterThanOrEqual(500);
  expect(await problemsOf(tenant.projectId)).toContainEqual({
    kind: 'MODEL_CALLS_FAILING',
    message: '1 call of “tiny-live” failed in the last hour.',
    subject: 'tiny-live',
  });
});

it('finds a live model whose replica has died, until another one answers', async () => {
  const tenant = await makeTenant(service);
  const modelId = await liveModel(tenant.api);
  expect(await problemsOf(tenant.projectId)).toEqual([]);
  const [replica] = await service.database.rows<{ address: string }>(
    'select r.address from model_replica r join model_deployment d on d.id = r.deployment_id where d.model_id = $1',
    [modelId],
  );
  process.kill(await processListeningAt(replica!.address), 'SIGKILL');
  const [problem] = await eventually(
    () => problemsOf(tenant.projectId),
    (problems) => problems.length > 0,
  );
  expect(problem).toEqual({
    kind: 'MODEL_NOT_SERVED',
    message:
      'The model “tiny” is not served as it should be: 0 of 1 replica answers calls. The log of the service says why.',
    subject: modelId,
  });
  await eventually(
    () => problemsOf(tenant.projectId),
    (problems) => problems.length === 0,
  );
});

it('lists all projects by id and name, also those without problems', async () => {
  const [first, second] = [await makeProject(service, 'Bakery'), await makeProject(service, 'Archive')];
  const query = { limit: '100' };
  const { body } = await administratorOf(service).get<{ data: unknown[] }>('/api/admin/v1/problems', { query });
  expect(body.data.slice(-2)).toEqual([
    { projectId: first, name: 'Bakery', problems: [] },
    { projectId: second, name: 'Archive', problems: [] },
  ]);
});

it('knows no project that does not exist', async () => {
  const answer = await administratorOf(service).get(`/api/admin/v1/projects/${newId('project')}/problems`);
  expect(answer.outcome).toBe('404 PROJECT_NOT_FOUND');
});
