import { newId } from '../../src/kernel/ids.js';
import { LocalHost } from '../../src/modules/models/hosts/local.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt, type Refused } from '../support/client.js';
import { tarOf } from '../support/models/archives.js';
import { text } from '../support/models/gguf-writer.js';
import { huggingFaceFolder } from '../support/models/safetensors.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import {
  type DockJob,
  deploy,
  ended,
  HYPER,
  importModel,
  liveModel,
  type ModelAnswer,
  MODELS,
  read,
  undeploy,
  uploadModel,
} from './models.js';

const service = await startService();
const tenant = await makeTenant(service);
const { api, projectId } = tenant;
const admin = administratorOf(service);
const path = `/api/admin/v1/projects/${projectId}/models`;
afterAll(() => service.stop());

describe('a deployment is refused', () => {
  let modelId: string;
  beforeAll(async () => (modelId = await importModel(api)));

  it.each([
    ['temperature', -0.01],
    ['temperature', 2.01],
    ['maxTokens', -1],
    ['maxTokens', 513],
    ['maxTokens', 1.5],
    ['topP', -0.1],
    ['topP', 1.1],
    ['topK', 0],
    ['topK', 101],
    ['topK', 1.5],
    ['stopSequence', 'no list'],
  ])('if hyperParameters.%s is %s', async (name, value) => {
    const answer = await deploy(api, modelId, { hyperParameters: { ...HYPER, [name]: value } });
    expect(answer).toMatchObject(faultsAt(`hyperParameters.${name}`));
  });

  it.each([
    ['maxBatchSize', 0],
    ['maxBatchSize', 257],
    ['minReplicas', 0],
    ['minReplicas', 11],
    ['maxReplicas', 0],
    ['maxReplicas', 51],
    ['scaleUpDelay', 0],
    ['scaleUpDelay', 1001],
    ['scaleDownDelay', 49],
    ['scaleDownDelay', 2001],
  ])('if scalingParameters.%s is %s', async (name, value) => {
    const answer = await deploy(api, modelId, { scalingParameters: { [name]: value } });
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(answer.faults).toContain(`scalingParameters.${name}`);
  });

  it.each([
    [
      'minReplicas over maxReplicas',
      { scalingParameters: { minReplicas: 3, maxReplicas: 2 } },
      'scalingParameters.minReplicas',
    ],
    ['another device', { deviceType: 't2.micro' }, 'deviceType'],
    ['no device', { deviceType: undefined }, 'deviceType'],
    ['no name', { name: undefined }, 'name'],
    ['no hyperparameters', { hyperParameters: undefined }, 'hyperParameters'],
    ['another optimisation', { optimizationInfo: { optimizationType: 'magic' } }, 'optimizationInfo.optimizationType'],
    ['another quantisation', { optimizationInfo: { quantizationType: 'int3' } }, 'optimizationInfo.quantizationType'],
    ['an unknown member', { colour: 'red' }, 'colour'],
  ])('if it has %s', async (_, parameters, fault) => {
    expect(await deploy(api, modelId, parameters)).toMatchObject(faultsAt(fault));
  });

  it('if its modelType is unknown', async () => {
    expect(await deploy(api, modelId, {}, 'closedSource')).toMatchObject(faultsAt('modelType'));
  });

  it('if a base model is deployed as fineTune, or as previously deployed', async () => {
    expect((await deploy(api, modelId, {}, 'fineTune')).outcome).toBe('400 MODEL_TYPE_MISMATCH');
    expect((await deploy(api, modelId, { isDeployedPreviously: true })).outcome).toBe('400 MODEL_NEVER_DEPLOYED');
    expect(await read(api, modelId)).toMatchObject({ state: 'READY_TO_DEPLOY', deployments: 0 });
  });

  it('if a model that is marked as fine-tuned is deployed as a base model', async () => {
    const marked = await admin.patch<{ data: object }>(`${path}/${modelId}`, { isFineTuned: true, name: 'Mine' });
    expect(marked.body.data).toMatchObject({ isFineTuned: true, modelType: 'fineTune', name: 'Mine' });
    expect((await deploy(api, modelId)).outcome).toBe('400 MODEL_TYPE_MISMATCH');
  });

  it('if it is of a dataset', async () => {
    const content = Buffer.from('one\ntwo');
    const dataset = await importModel(api, { fileContext: 'dataset', fileExtension: 'txt', content });
    expect((await deploy(api, dataset)).outcome).toBe('400 DATASET_NOT_DEPLOYABLE');
  });
});

it('parameters at the ends of their ranges are accepted', async () => {
  const hyperParameters = { temperature: 2, maxTokens: 512, topP: 1, topK: 100, stopSequence: ['.'] };
  const scalingParameters = { maxBatchSize: 1, minReplicas: 1, maxReplicas: 50, scaleUpDelay: 1, scaleDownDelay: 50 };
  const optimizationInfo = { optimizationType: 'vllm', quantizationType: '' };
  const parameters = { hyperParameters, scalingParameters, optimizationInfo, deviceType: 'g4dn.metal' };
  const modelId = await liveModel(api, parameters);
  expect((await read(api, modelId)).deployment).toMatchObject(parameters);
  expect((await undeploy(api, modelId)).outcome).toBe('200');
  const other = {
    hyperParameters: { temperature: 0, maxTokens: 0, topP: 0, topK: 1 },
    scalingParameters: { maxBatchSize: 2, minReplicas: 2, maxReplicas: 2, scaleUpDelay: 1000, scaleDownDelay: 2000 },
  };
  expect((await deploy(api, modelId, { ...other, isDeployedPreviously: true })).outcome).toBe('200');
});

it('a model that is not ready is not deployed, undeployed or exported', async () => {
  const session = { fileContext: 'model', fileName: 'a', fileExtension: 'gguf', fileSize: 9, totalChunks: 1 };
  const { modelId } = (await api.post<{ modelId: string }>('/api/public/files/session/start', session)).body;
  expect((await read(api, modelId)).state).toBe('IMPORTING');
  for (const answer of [deploy(api, modelId), undeploy(api, modelId), api.post(`${MODELS}/${modelId}/export`)])
    expect((await answer).outcome).toBe('409 MODEL_NOT_READY');
  expect((await admin.delete(`${path}/${modelId}`)).outcome).toBe('409 MODEL_IN_USE');
});

it('undeploying a model that is not deployed is refused with the same message as for a tool', async () => {
  const { outcome, body } = await api.post<Refused>(`${MODELS}/${await importModel(api)}/undeploy`);
  expect(outcome).toBe('409 MODEL_NOT_READY');
  expect(body.error.message).toBe('This is not deployed, so there is nothing to undeploy. Deploy it first.');
});

it('an upload that is abandoned leaves no model', async () => {
  const session = { fileContext: 'model', fileName: 'a', fileExtension: 'gguf', fileSize: 9, totalChunks: 1 };
  const { body } = await api.post<{ modelId: string; sessionId: string }>('/api/public/files/session/start', session);
  await api.delete(`/api/public/files/session/${body.sessionId}`);
  expect((await api.get(`${MODELS}/${body.modelId}`)).outcome).toBe('404 MODEL_NOT_FOUND');
});

it('while a model is being deployed, other jobs for it are refused, and the refusal names the running one', async () => {
  const modelId = await importModel(api);
  const first = await deploy(api, modelId);
  const second = await deploy(api, modelId);
  expect([second.outcome, second.text.includes('DEPLOYING')]).toEqual(['409 MODEL_NOT_READY', true]);
  for (const other of [await undeploy(api, modelId), await api.post(`${MODELS}/${modelId}/export`)]) {
    expect([other.outcome, other.text.includes(first.body.dockStatusId)]).toEqual(['409 JOB_IN_PROGRESS', true]);
  }
  await ended(api, first.body);
});

it('a format that no host serves fails the job, and the model can be deployed again', async () => {
  const modelId = await importModel(api, { content: await tarOf(huggingFaceFolder()), fileExtension: 'tar' });
  const job = await ended(api, (await deploy(api, modelId)).body);
  expect([job.status, job.error?.code]).toEqual(['FAILED', 'FORMAT_NOT_SERVED']);
  expect(await read(api, modelId)).toMatchObject({ state: 'READY_TO_DEPLOY', deployments: 1 });
});

it('a model that the engine cannot load fails the job with its reason', async () => {
  const content = tinyModel({ tensors: (tensors) => tensors.filter(({ name }) => name !== 'output_norm.weight') });
  const modelId = await importModel(api, { content });
  const job = await ended(api, (await deploy(api, modelId)).body);
  expect([job.status, job.error?.code]).toEqual(['FAILED', 'MODEL_NOT_LOADED']);
  expect(job.error!.message).not.toMatch(/\/tmp|\.gguf/);
  expect((await read(api, modelId)).state).toBe('READY_TO_DEPLOY');
});

it('a model whose chat template does not end fails the job, and is not tried for ever', async () => {
  const endless = text('{% for i in range(1000000000) %}{{ messages }}{% endfor %}');
  const modelId = await importModel(api, { content: tinyModel({ meta: { 'tokenizer.chat_template': endless } }) });
  const host = service.app.get(LocalHost);
  const { longestTemplateMs } = host;
  expect(longestTemplateMs).toBe(20_000);
  host.longestTemplateMs = 2_000;
  const job = await ended(api, (await deploy(api, modelId)).body).finally(
    () => (host.longestTemplateMs = longestTemplateMs),
  );
  expect([job.status, job.error?.code]).toEqual(['FAILED', 'CHAT_TEMPLATE_ENDLESS']);
  expect(job.error!.message).toContain(
    'chat template of the model (tokenizer.chat_template) did not end within 2 seconds',
  );
  expect((await read(api, modelId)).state).toBe('READY_TO_DEPLOY');
}, 60_000);

it('an adapter needs its base model', async () => {
  const modelId = await importModel(api, { content: tinyAdapter({ baseModel: 'nowhere/to-be-found' }) });
  const job = await ended(api, (await deploy(api, modelId, {}, 'fineTune')).body);
  expect([job.status, job.error?.code]).toEqual(['FAILED', 'BASE_MODEL_NOT_FOUND']);
});

it('an export is ready at once, and can be imported again unchanged', async () => {
  const content = tinyModel({ name: 'Exported' });
  const modelId = await importModel(api, { content });
  const { body } = await api.post<DockJob>(`${MODELS}/${modelId}/export`);
  expect(body).toEqual({
    dockStatusId: expect.stringMatching(/^ds-/) as string,
    modelId,
    jobType: 'MODELS',
    action: 'EXPORT',
    status: 'SUCCESS',
    percentageComplete: 100,
    response: { downloadUrl: expect.stringContaining('http') as string },
  });
  const downloaded = Buffer.from(await (await fetch(body.response!.downloadUrl!)).arrayBuffer());
  expect(downloaded.equals(content)).toBe(true);
  const again = await importModel(api, { content: downloaded });
  expect((await read(api, again)).facts).toEqual((await read(api, modelId)).facts);
});

it('the versions of a model show when each deployment was live', async () => {
  const modelId = await liveModel(api, { name: 'first' });
  await undeploy(api, modelId);
  await ended(api, (await deploy(api, modelId, { name: 'second', isDeployedPreviously: true })).body);
  const { body } = await admin.get<{ data: Record<string, string>[] }>(`${path}/${modelId}/versions`);
  expect(body.data).toMatchObject([
    { version: 1, name: 'first', state: 'ENDED' },
    { version: 2, name: 'second', state: 'LIVE' },
  ]);
  const [first, second] = body.data;
  expect(Date.parse(first!.liveUntil!)).toBeGreaterThanOrEqual(Date.parse(first!.liveFrom!));
  expect(Date.parse(second!.liveFrom!)).toBeGreaterThanOrEqual(Date.parse(first!.liveUntil!));
  expect(second!.liveUntil).toBeUndefined();
  expect((await admin.delete(`${path}/${modelId}`)).outcome).toBe('409 MODEL_IN_USE');
});

it('the replicas of a deployed model are listed, with those of a process that has died', async () => {
  const modelId = await liveModel(api);
  const replicas = async () => {
    const { body, text } = await admin.get<{ data: { process: string; deploymentId: string; state: string }[] }>(
      `${path}/${modelId}/replicas`,
    );
    expect(text).not.toMatch(/127\.0\.0\.1|token/i);
    return body.data;
  };
  const [replica, ...others] = await replicas();
  expect(others).toEqual([]);
  expect(replica).toEqual({
    replicaId: expect.stringMatching(/^mr-/) as string,
    deploymentId: expect.stringMatching(/^md-/) as string,
    host: 'local',
    process: expect.stringMatching(/^h-/) as string,
    state: 'READY',
    startedAt: expect.any(String) as string,
  });
  await service.database.rows(
    `insert into model_host (holder, host, room, lease_until) values ('h-died', 'local', 0, now() - interval '1 minute')`,
  );
  await service.database.rows(
    `insert into model_replica select $1, deployment_id, 'h-died', host, address, token_sealed, now()
     from model_replica where deployment_id = $2`,
    [newId('modelReplica'), replica!.deploymentId],
  );
  expect(await replicas()).toMatchObject([{ state: 'READY' }, { process: 'h-died', state: 'LOST' }]);
  await undeploy(api, modelId);
  expect(await replicas()).toEqual([]);
});

it('a model is deleted with its file', async () => {
  const { started, completed } = await uploadModel(api);
  await ended(api, completed);
  const { body } = await api.get<ModelAnswer & { fileId: string }>(`${MODELS}/${started.modelId}`);
  expect((await admin.delete(`${path}/${started.modelId}`)).body).toMatchObject({ data: { modelId: started.modelId } });
  expect((await api.get(`${MODELS}/${started.modelId}`)).outcome).toBe('404 MODEL_NOT_FOUND');
  expect((await api.get(`/api/public/files/${body.fileId}`)).outcome).toBe('404 FILE_NOT_FOUND');
});

it('a model whose file was deleted is neither deployed nor exported', async () => {
  const modelId = await importModel(api);
  const { body } = await api.get<{ fileId: string }>(`${MODELS}/${modelId}`);
  await admin.delete(`/api/admin/v1/projects/${projectId}/files/${body.fileId}`);
  expect((await deploy(api, modelId)).outcome).toBe('409 MODEL_CONTENT_GONE');
  expect((await api.post(`${MODELS}/${modelId}/export`)).outcome).toBe('409 MODEL_CONTENT_GONE');
});

it('models are listed newest first, and only for their project', async () => {
  const stranger = await makeTenant(service);
  const older = await importModel(stranger.api);
  const newer = await importModel(stranger.api);
  const { body } = await stranger.api.get<{ models: ModelAnswer[]; total: number }>(MODELS, { query: { limit: '1' } });
  expect([body.total, body.models.map(({ modelId }) => modelId)]).toEqual([2, [newer]]);
  const next = await stranger.api.get<{ models: ModelAnswer[] }>(MODELS, { query: { offset: '1' } });
  expect(next.body.models.map(({ modelId }) => modelId)).toEqual([older]);
  expect((await api.get(`${MODELS}/${newer}`)).outcome).toBe('404 MODEL_NOT_FOUND');
});

it('a deployment is in the audit with ids, and without the members that its host writes', async () => {
  const modelId = await liveModel(api);
  const created = await service.database.rows<{ kind: string; after: object }>(
    `select kind, after from audit_entry
     where change = 'created' and kind like 'model%' and (target_id = $1 or after->>'model' = $1) order by id`,
    [modelId],
  );
  const [model, deployment] = created.map(({ after }) => Object.keys(after));
  expect(model).toEqual(expect.arrayContaining(['project', 'uploadId', 'fileId']));
  expect(model).not.toContain('file');
  expect(deployment).toEqual(expect.arrayContaining(['project', 'model', 'baseModelId', 'host', 'state']));
  for (const name of ['holder', 'leaseUntil', 'progress', 'trouble']) expect(deployment).not.toContain(name);
});
