import { ask } from '../gateway/calls.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { deploy, type DockJob, ended, importModel, liveModel, MODELS, PATIENCE_MS, read, undeploy } from './models.js';

const service = await startService({ MODEL_HOST_REPLICAS: '30', RATE_LIMIT_DEFAULT: '0' });
const tenant = await makeTenant(service);
const { api } = tenant;
const administrator = administratorOf(service);
afterAll(() => service.stop());

const SESSIONS = '/api/public/files/session';
const remove = (modelId: string) =>
  administrator.send<object>('DELETE', `/api/admin/v1/projects/${tenant.projectId}/models/${modelId}`);
const removeFile = (fileId: string) =>
  administrator.send<object>('DELETE', `/api/admin/v1/projects/${tenant.projectId}/files/${fileId}`);
const exportOf = (modelId: string) => api.post<DockJob>(`${MODELS}/${modelId}/export`);
const outcomes = (answers: readonly Answer<unknown>[]) => answers.map(({ outcome }) => outcome);
const fourTimes = <T>(work: () => Promise<T>) => Promise.all([work(), work(), work(), work()]);

/** Sends all chunks of a model without completing the upload. */
async function uploaded(): Promise<{ sessionId: string; modelId: string }> {
  const content = tinyModel();
  const start = {
    fileContext: 'model',
    fileName: 'tiny',
    fileExtension: 'gguf',
    fileSize: content.length,
    totalChunks: 1,
  };
  const { body } = await api.post<{ sessionId: string; modelId: string }>(`${SESSIONS}/start`, start);
  await api.send('POST', `${SESSIONS}/${body.sessionId}`, {
    form: { chunkNumber: '0', file: new File([content], 'blob') },
  });
  return body;
}

/** Expects that the model has one live deployment and answers calls if it is deployed, and neither otherwise. */
async function expectConsistent(modelId: string): Promise<void> {
  const running = `select from dock_job where target_id = $1 and status = 'IN_PROGRESS'`;
  await eventually(async () => (await service.database.rows(running, [modelId])).length === 0, Boolean, PATIENCE_MS);
  const deployments = await service.database.rows<{ id: string; state: string }>(
    `select id, state from model_deployment where model_id = $1 and state in ('STARTING', 'LIVE')`,
    [modelId],
  );
  const known = await api.get<{ state?: string }>(`${MODELS}/${modelId}`);
  const isDeployed = known.body.state === 'DEPLOYED';
  expect(deployments.map(({ state }) => state)).toEqual(isDeployed ? ['LIVE'] : []);
  expect((await ask(tenant, modelId)).status).toBe(isDeployed ? 200 : known.status === 404 ? 404 : 409);
}

it('an upload that is completed several times at once has one import and one answer', async () => {
  const { sessionId, modelId } = await uploaded();
  const answers = await fourTimes(() => api.post<DockJob>(`${SESSIONS}/${sessionId}/complete`));
  expect(outcomes(answers)).toEqual(['200', '200', '200', '200']);
  expect(new Set(answers.map(({ body }) => body.dockStatusId)).size).toBe(1);
  expect(await service.database.rows('select from dock_job where target_id = $1', [modelId])).toHaveLength(1);
  expect((await ended(api, answers[0].body)).status).toBe('SUCCESS');

  // Completing again gets the first answer, because only the dock status shows the progress of the import.
  const again = await api.post<DockJob>(`${SESSIONS}/${sessionId}/complete`);
  expect(again.body).toEqual(answers[0].body);
});

it('an upload that is completed and abandoned at the same moment is either completed or abandoned', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { sessionId, modelId } = await uploaded();
    const [completed, abandoned] = await Promise.all([
      api.post<DockJob>(`${SESSIONS}/${sessionId}/complete`),
      api.send('DELETE', `${SESSIONS}/${sessionId}`),
    ]);
    expect([completed.status, abandoned.status].toSorted()).toEqual(completed.status === 200 ? [200, 409] : [200, 404]);
    const { status } = await api.get(`${MODELS}/${modelId}`);
    expect(status).toBe(completed.status === 200 ? 200 : 404);
    if (completed.status === 200) await ended(api, completed.body);
  }
});

it('a model that is deployed several times at once has one deployment', async () => {
  const modelId = await importModel(api);
  const answers = await fourTimes(() => deploy(api, modelId));
  const refused = ['409 MODEL_NOT_READY', '409 JOB_IN_PROGRESS'];
  expect(outcomes(answers).filter((outcome) => !refused.includes(outcome))).toEqual(['200']);
  const { body } = answers.find(({ status }) => status === 200)!;
  expect((await ended(api, body)).status).toBe('SUCCESS');
  expect(await read(api, modelId)).toMatchObject({ state: 'DEPLOYED', deployments: 1 });
  await expectConsistent(modelId);
  await undeploy(api, modelId);
});

it.each([1, 2, 3])('a model that is deployed, undeployed and exported at once stays consistent (%d)', async () => {
  const modelId = await liveModel(api);
  const answers = await Promise.all([
    undeploy(api, modelId),
    deploy(api, modelId),
    exportOf(modelId),
    undeploy(api, modelId),
    deploy(api, modelId),
  ]);
  for (const outcome of outcomes(answers)) {
    expect(['200', '409 MODEL_NOT_READY', '409 JOB_IN_PROGRESS']).toContain(outcome);
  }
  await expectConsistent(modelId);
  if ((await read(api, modelId)).state === 'DEPLOYED') await undeploy(api, modelId);
});

it.each([1, 2, 3, 4])(
  'a model that is deleted, deployed, exported and called at once stays consistent (%d)',
  async () => {
    const modelId = await importModel(api);
    const [deleted, ...others] = await Promise.all([
      remove(modelId),
      deploy(api, modelId),
      exportOf(modelId),
      ask(tenant, modelId),
      undeploy(api, modelId),
      remove(modelId),
    ]);
    for (const outcome of outcomes([deleted, ...others])) {
      expect([
        '200',
        '404 MODEL_NOT_FOUND',
        '404 MODEL_NOT_DEPLOYED',
        '409 MODEL_NOT_DEPLOYED',
        '409 MODEL_NOT_READY',
        '409 MODEL_IN_USE',
        '409 JOB_IN_PROGRESS',
      ]).toContain(outcome);
    }
    await expectConsistent(modelId);
  },
);

it.each([1, 2, 3])('a model whose deployment is cancelled is either deployed or as before (%d)', async (round) => {
  const modelId = await importModel(api);
  const { body: job } = await deploy(api, modelId);
  const path = `/api/admin/v1/projects/${tenant.projectId}/dock-jobs/${job.dockStatusId}/cancel`;
  await eventually(async () => {
    const rows = await service.database.rows<{ ready: number }>(
      `select count(r.id)::int as ready from model_deployment d left join model_replica r on r.deployment_id = d.id
       where d.model_id = $1`,
      [modelId],
    );
    return round === 1 || rows[0]!.ready > 0;
  });
  const answers = await fourTimes(() => administrator.post<object>(path));
  for (const outcome of outcomes(answers)) expect(['200', '409 DOCK_JOB_ENDED']).toContain(outcome);
  await expectConsistent(modelId);
  const { status } = await ended(api, job);
  expect((await read(api, modelId)).state).toBe(status === 'SUCCESS' ? 'DEPLOYED' : 'READY_TO_DEPLOY');
});

it.each([1, 2, 3])('a model whose file is deleted at the same moment is gone or has no file (%d)', async () => {
  const modelId = await importModel(api);
  const [row] = await service.database.rows<{ fileId: string }>('select file_id as "fileId" from model where id = $1', [
    modelId,
  ]);
  const answers = await Promise.all([remove(modelId), removeFile(row!.fileId), remove(modelId)]);
  for (const outcome of outcomes(answers)) {
    expect(['200', '404 MODEL_NOT_FOUND', '404 FILE_NOT_FOUND']).toContain(outcome);
  }
  expect(await service.database.rows('select from file where id = $1', [row!.fileId])).toHaveLength(0);
  await remove(modelId);
  expect((await api.get(`${MODELS}/${modelId}`)).status).toBe(404);
});
