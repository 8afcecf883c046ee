import { randomBytes } from 'node:crypto';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { KubernetesApi } from '../support/kubernetes/api-server.js';
import { readMetric } from '../support/metrics.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { NOWHERE, servedWithoutPod } from './in-cluster.js';
import { undeploy } from './models.js';

const api = await KubernetesApi.start();
// This process serves no models and runs no jobs, so the others do.
const service = await startService({ ...api.settings, MODEL_HOST: 'none', SLIPWAY_ROLE: 'api' });
const hosts = { ...service.settings, MODEL_HOST: 'kubernetes', SLIPWAY_ROLE: 'all' };
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await api.stop();
});

const replicas = () =>
  service.database.rows<{ process: string; address: string }>('select holder as process, address from model_replica');

const linkNow = () => {
  const { modelLink } = api.secrets[0]!.data as Record<string, string>;
  return Buffer.from(modelLink!, 'base64').toString();
};

it('makes the links to the files again if PUBLIC_URL or the secret of links was changed', async () => {
  const first = await startProcess(hosts);
  service.companions.push(first);
  const { modelId } = await servedWithoutPod(api, tenant);
  expect(linkNow()).toMatch(/^http:\/\/slipway\.example\/.*signature=1\./);
  const { token } = api.secrets[0]!.data as Record<string, string>;
  await first.stop();

  const SLIPWAY_LINK_SECRETS = `2:${randomBytes(32).toString('base64')}`;
  const second = await startProcess({ ...hosts, PUBLIC_URL: 'http://moved.example', SLIPWAY_LINK_SECRETS });
  service.companions.push(second);
  await eventually(linkNow, (link) => link.startsWith('http://moved.example/') && link.includes('signature=2.'));
  expect(api.secrets[0]!.data).toMatchObject({ token });
  await undeploy(tenant.api, modelId);
  await eventually(() => api.services.length === 0 && api.secrets.length === 0);
  await second.stop();
});

it('has one service for two processes, and the second one finds it when the first one stops', async () => {
  const first = await startProcess(hosts);
  service.companions.push(first);
  const scalingParameters = { minReplicas: 3, maxReplicas: 3, maxBatchSize: 1 };
  const { modelId, service: made } = await servedWithoutPod(api, tenant, { scalingParameters });
  const { uid } = made().metadata;
  const [before] = await replicas();
  expect(before!.address).toBe(NOWHERE);

  const second = await startProcess(hosts);
  service.companions.push(second);
  await first.stop();
  const [after] = await eventually(replicas, ([found]) => found !== undefined && found.process !== before!.process);
  expect(after!.address).toBe(NOWHERE);
  expect(api.services).toHaveLength(1);
  expect(made().metadata.uid).toBe(uid);
  expect(await readMetric(service, 'slipway_model_replicas', { state: 'ready' })).toBe(1);
  expect(await readMetric(service, 'slipway_model_replicas', { state: 'missing' })).toBe(0);

  await undeploy(tenant.api, modelId);
  await eventually(() => api.services.length === 0 && api.secrets.length === 0);
});
