import { readSettings, Settings } from '../../src/platform/config/settings.js';
import { FilesService } from '../../src/modules/files/files.service.js';
import { KubernetesHost } from '../../src/modules/models/hosts/kubernetes.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { KubernetesApi, type Refusal } from '../support/kubernetes/api-server.js';
import { onItsWay } from '../support/kubernetes/statuses.js';
import { startService } from '../support/service.js';
import { hurry, servedWithoutPod } from './in-cluster.js';
import { deploy, ended, importModel, read, undeploy } from './models.js';

const api = await KubernetesApi.start();
const service = await startService(api.settings);
hurry(service);
const tenant = await makeTenant(service);
const IN_ORDER = { refusal: undefined, hasKServe: true, namespaces: ['models'], hangs: false };
afterEach(() => Object.assign(api, IN_ORDER));
afterAll(async () => {
  await service.stop();
  await api.stop();
});

const addresses = () => service.database.rows<{ id: string }>('select id from model_replica');

const live = () => servedWithoutPod(api, tenant);
const isEmpty = () => api.services.length === 0 && api.secrets.length === 0;

const of = (status: number, message: string, more: Partial<Refusal> = {}) => ({
  refusal: { status, message, ...more },
});
const CANNOT = 'inferenceservices is forbidden: User "slipway" cannot create resource "inferenceservices"';

it.each<[string, object, string]>([
  ['has no KServe', { hasKServe: false }, 'The cluster has no InferenceServices. KServe is not installed there.'],
  ['has no such namespace', { namespaces: [] }, 'The cluster has no namespace models (KUBERNETES_NAMESPACE).'],
  ['does not know the credentials', of(401, 'Unauthorized'), 'does not know the credentials of this service.'],
  [
    'forbids it',
    of(403, CANNOT, { verb: 'POST', kind: 'inferenceservices' }),
    'This service is not allowed to create InferenceServices in the namespace models.',
  ],
  [
    'has a quota',
    of(403, 'exceeded quota: gpus', { verb: 'POST' }),
    'The cluster refuses to create Secrets: exceeded quota: gpus',
  ],
  [
    'does not accept it',
    of(422, 'admission webhook denied the request', { verb: 'POST', kind: 'inferenceservices' }),
    'The cluster refuses to create InferenceServices: admission webhook denied the request',
  ],
  ['is out of order', of(500, 'etcdserver: request timed out'), 'The API server of Kubernetes does not answer.'],
  ['accepts calls and answers none', { hangs: true }, 'The API server of Kubernetes does not answer.'],
  ['is busy', of(429, 'Too many requests'), 'The API server of Kubernetes does not answer.'],
])('says that a deployment fails because the cluster %s, and leaves nothing there', async (_, fault, message) => {
  const modelId = await importModel(tenant.api);
  Object.assign(api, fault);
  const { error } = await ended(tenant.api, (await deploy(tenant.api, modelId)).body);
  expect(error).toMatchObject({ code: 'NO_MODEL_HOST' });
  expect(error!.message).toContain(message);
  expect((await read(tenant.api, modelId)).state).toBe('READY_TO_DEPLOY');
  await eventually(isEmpty);
});

it.each([
  ['a conflict', of(409, 'already exists', { verb: 'POST', kind: 'inferenceservices', times: 1 })],
  ['a passing failure', of(503, 'leader changed', { times: 2 })],
])('deploys in spite of %s', async (_, fault) => {
  Object.assign(api, fault);
  await undeploy(tenant.api, (await live()).modelId);
});

it('keeps a live deployment while the cluster is out of order, and removes it afterwards', async () => {
  const { modelId } = await live();
  const asked = api.requests.length;
  Object.assign(api, of(500, 'etcdserver: no leader'));
  await eventually(() => api.requests.length > asked + 3);
  expect(await addresses()).toHaveLength(1);
  expect((await read(tenant.api, modelId)).state).toBe('DEPLOYED');
  await undeploy(tenant.api, modelId);
  Object.assign(api, { refusal: undefined });
  await eventually(() => api.services.length === 0);
});

it.each(['insert', 'delete'])('stores and removes the address of a fleet although an %s fails', async (event) => {
  await service.database.rows(`
    create sequence attempts;
    create function refuse_two() returns trigger language plpgsql as $$ begin
      if nextval('attempts') <= 2 then raise exception 'on purpose'; end if;
      return coalesce(new, old); end $$;
    create trigger refuse_two before ${event} on model_replica for each row execute function refuse_two()`);
  const { modelId, service: made } = await live();
  await eventually(async () => (await addresses()).length === 1);
  api.report(made(), onItsWay('Pending'));
  await eventually(async () => (await addresses()).length === 0);
  await service.database.rows('drop function refuse_two cascade; drop sequence attempts');
  await undeploy(tenant.api, modelId);
});

it('reads the credentials again if they were replaced', async () => {
  const { modelId } = await live();
  await api.changeToken('the token of tomorrow');
  await undeploy(tenant.api, modelId);
  await eventually(isEmpty);
  await undeploy(tenant.api, (await live()).modelId);
});

it('says that a process outside of a cluster needs KUBECONFIG', async () => {
  const settings = { ...service.app.get(Settings), KUBECONFIG: undefined };
  const host = new KubernetesHost(settings, service.app.get(FilesService));
  await expect(host.list(new AbortController().signal)).rejects.toThrow(
    'KUBECONFIG is not set, and the service account of this pod cannot be read.',
  );
});

it.each(['KUBERNETES_NAMESPACE', 'KUBERNETES_IMAGE', 'PUBLIC_URL'])('does not start without %s', (name) => {
  expect(() => readSettings({ ...service.settings, [name]: '' })).toThrow(
    `${name} is missing. MODEL_HOST=kubernetes needs it.`,
  );
});
