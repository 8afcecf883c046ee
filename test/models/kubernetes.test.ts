import { toId } from '../../src/kernel/ids.js';
import { nameOf } from '../../src/modules/models/hosts/kubernetes/inference-service.js';
import { ask, ledgerOf } from '../gateway/calls.js';
import { atTime, DAY, MINUTE } from '../support/clock.js';
import { eventually } from '../support/eventually.js';
import { blocked, invalid, onItsWay, ready, revisionFailed, stopped } from '../support/kubernetes/statuses.js';
import { SAID } from '../support/models/tiny-model.js';
import { begun, NOWHERE, servedWithoutPod, startInCluster } from './in-cluster.js';
import { type DockJob, ended, read, textOf, undeploy } from './models.js';

// The replicas of a cluster need no room in the process.
const { api, service, tenant, live } = await startInCluster({ MODEL_HOST_REPLICAS: '1' });

const LABEL = 'slipway/deployment';
const outcomeOf = async (modelId: string) => (await ask(tenant, modelId)).outcome;
const addresses = () => service.database.rows<{ address: string }>('select address from model_replica');
const isGone = (name: string) => [...api.services, ...api.secrets].every(({ metadata }) => metadata.name !== name);
const valuesOf = (name: string) => {
  const { data } = api.secrets.find(({ metadata }) => metadata.name === name)!;
  const entries = Object.entries(data as Record<string, string>);
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
};

const UNAVAILABLE =
  'PredictorReady is false: MinimumReplicasUnavailable: Deployment does not have minimum availability.';
const isExplained = (stage = '') => stage.includes(UNAVAILABLE);

async function jobOf({ dockStatusId }: DockJob) {
  return (await tenant.api.get<DockJob & { stage?: string }>(`/api/public/dock-status/${dockStatusId}`)).body;
}

it('serves a model by an InferenceService, from the deployment to its end', async () => {
  const scalingParameters = { minReplicas: 2, maxReplicas: 5, maxBatchSize: 3 };
  const { modelId, service, pod } = await live({}, { scalingParameters, deviceType: 'g5.2xlarge' });
  const { metadata, spec } = service();
  expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'slipway' });
  expect(spec).toMatchObject({
    predictor: {
      minReplicas: 2,
      maxReplicas: 5,
      containers: [
        {
          name: 'kserve-container',
          image: 'registry.example/slipway:test',
          resources: { requests: { cpu: '6', memory: '24Gi' }, limits: { memory: '24Gi' } },
        },
      ],
    },
  });
  const secret = valuesOf(metadata.name);
  expect(Object.keys(secret)).toEqual(['token', 'modelLink']);
  for (const value of Object.values(secret)) expect(JSON.stringify(service())).not.toContain(value);

  expect((await read(tenant.api, modelId)).deployment).toMatchObject({ state: 'LIVE', host: 'kubernetes' });
  expect(textOf(await ask(tenant, modelId))).toBe(SAID);
  expect(await ledgerOf(tenant)).toMatchObject([{ provider: 'custom', status: 'success' }]);

  expect((await undeploy(tenant.api, modelId)).outcome).toBe('200');
  expect(await outcomeOf(modelId)).toBe('409 MODEL_NOT_DEPLOYED');
  await eventually(() => isGone(metadata.name));
  pod.terminate();
  expect(await pod.ended).toEqual({ exitCode: 0, message: '' });
});

it('shows each state on the way to a ready service as progress, and why it is not ready', async () => {
  const { modelId, job, service } = await begun(api, tenant);
  for (const [state, percentage] of Object.entries({ Pending: 10, Standby: 30, Loading: 60, Loaded: 90 })) {
    api.report(service(), onItsWay(state));
    await eventually(
      () => jobOf(job),
      ({ percentageComplete, stage }) => percentageComplete === percentage && isExplained(stage),
    );
  }
  // A condition says that it is ready before KServe knows the address.
  api.report(service(), { conditions: ready(NOWHERE).conditions });
  api.report(service(), ready(NOWHERE));
  expect(await ended(tenant.api, job)).toMatchObject({ status: 'SUCCESS' });
  await undeploy(tenant.api, modelId);
});

const OF_REPLICA = JSON.stringify({ code: 'CHAT_TEMPLATE_ENDLESS', message: 'The chat template did not end.' });

it.each([
  [
    'a replica that says why',
    blocked({ reason: 'ModelLoadFailed', exitCode: 1, message: OF_REPLICA }),
    'CHAT_TEMPLATE_ENDLESS',
    'The chat template did not end.',
  ],
  [
    'a replica that is killed',
    blocked({ reason: 'ModelLoadFailed', exitCode: 137 }),
    'REPLICA_DIED',
    'more memory than its device type has',
  ],
  [
    'a replica without a word',
    blocked({ reason: 'ModelLoadFailed', exitCode: 139, message: 'segfault' }),
    'REPLICA_DIED',
    'exit code 139, ModelLoadFailed: segfault',
  ],
  ['a failure without a reason', blocked(undefined), 'REPLICA_DIED', 'exit code unknown, without a reason'],
  [
    'an invalid spec',
    invalid('InvalidPredictorSpec', 'No such class.'),
    'NO_MODEL_HOST',
    'KServe refuses the InferenceService: InvalidPredictorSpec: No such class.',
  ],
  [
    'a revision that fails',
    revisionFailed('Unable to fetch image'),
    'REPLICA_DIED',
    'RevisionFailed: Revision "a-revision" failed with message: Unable to fetch image.',
  ],
])('fails a deployment for %s, and removes its service', async (_, status, code, message) => {
  const { modelId, job, service } = await begun(api, tenant);
  const { name } = service().metadata;
  api.report(service(), status);
  const failed = await ended(tenant.api, job);
  expect(failed.error).toMatchObject({ code });
  expect(failed.error!.message).toContain(message);
  expect((await read(tenant.api, modelId)).state).toBe('READY_TO_DEPLOY');
  await eventually(() => isGone(name));
});

it('answers no calls while the service is not ready, and answers them again when it is', async () => {
  const { modelId, service, pod } = await live();
  const address = await pod.listening();
  for (const status of [onItsWay('Pending'), stopped, blocked({ exitCode: 1 })]) {
    api.report(service(), status);
    await eventually(async () => (await addresses()).length === 0);
    expect((await read(tenant.api, modelId)).state).toBe('DEPLOYED');
    api.report(service(), ready(address));
    await eventually(async () => (await addresses()).length === 1);
  }
  expect(await outcomeOf(modelId)).toBe('200');
  await undeploy(tenant.api, modelId);
});

it('makes a service again that was deleted by hand, with the same token', async () => {
  const { modelId, service, pod } = await live();
  const { name } = service().metadata;
  api.put('inferenceservices', {
    ...service(),
    metadata: { ...service().metadata, deletionTimestamp: new Date().toISOString() },
  });
  await eventually(async () => (await addresses()).length === 0);
  expect(await outcomeOf(modelId)).toMatch(/^503 /);
  api.drop('inferenceservices', name);
  await eventually(() => !isGone(name) && service() !== undefined);
  api.report(service(), ready(await pod.listening()));
  await eventually(
    () => outcomeOf(modelId),
    (outcome) => outcome === '200',
  );
  await undeploy(tenant.api, modelId);
});

it('corrects a service that was changed by hand, and keeps what others added', async () => {
  const { modelId, service } = await servedWithoutPod(api, tenant);
  const wanted = service();
  const annotations = { ...wanted.metadata.annotations, note: 'of a person' };
  const predictor = (wanted.spec as { predictor: object }).predictor;
  for (const change of [{ maxReplicas: 9 }, { containers: [] }, { automountServiceAccountToken: undefined }]) {
    const spec = { predictor: { ...predictor, ...change } };
    api.put('inferenceservices', { ...service(), spec, metadata: { ...service().metadata, annotations } });
    await eventually(() => JSON.stringify(service().spec) === JSON.stringify(wanted.spec));
  }
  expect(service().metadata.annotations).toEqual(annotations);
  await undeploy(tenant.api, modelId);
});

it('leaves the defaults alone that KServe adds', async () => {
  const { modelId, service } = await servedWithoutPod(api, tenant);
  const { predictor } = service().spec as { predictor: object };
  const spec = { predictor: { ...predictor, dnsPolicy: 'ClusterFirst' } };
  api.put('inferenceservices', { ...service(), spec });
  const asked = api.requests.length;
  await eventually(() => api.requests.length > asked + 3);
  expect(service().spec).toEqual(spec);
  await undeploy(tenant.api, modelId);
});

it('renews the links to the files before they expire, and keeps the token', async () => {
  const { modelId, service } = await servedWithoutPod(api, tenant);
  const { name } = service().metadata;
  const before = valuesOf(name);
  await atTime(Date.now() + 4 * DAY, () => eventually(() => valuesOf(name).modelLink !== before.modelLink));
  expect(valuesOf(name).token).toBe(before.token);
  await undeploy(tenant.api, modelId);
});

it('makes a Secret again that was deleted by hand, with another token for the replicas', async () => {
  const { modelId, service } = await servedWithoutPod(api, tenant);
  const { name, annotations } = service().metadata;
  const before = valuesOf(name);
  api.drop('secrets', name);
  await eventually(() => service().metadata.annotations!['slipway/spec'] !== annotations!['slipway/spec']);
  expect(valuesOf(name).token).not.toBe(before.token);
  await undeploy(tenant.api, modelId);
});

it('removes services of unknown deployments although one cannot be, and leaves those of others alone', async () => {
  const { modelId, service } = await servedWithoutPod(api, tenant);
  const { metadata, spec } = service();
  const orphans = [1, 2].map((number) => toId('modelDeployment', `md-${'0'.repeat(21)}${number}`));
  for (const id of orphans)
    api.put('inferenceservices', { spec, metadata: { name: nameOf(id), labels: { ...metadata.labels, [LABEL]: id } } });
  api.put('inferenceservices', { spec, metadata: { name: 'of-others' } });
  const [first, second] = orphans.map(nameOf);
  api.refusal = { verb: 'DELETE', name: first!, status: 500, message: 'etcdserver: no leader' };
  await undeploy(tenant.api, modelId);
  await eventually(() => isGone(metadata.name) && isGone(second!));
  expect(isGone(first!)).toBe(false);
  api.refusal = undefined;
  await eventually(() => isGone(first!));
  expect(isGone('of-others')).toBe(false);
});

it('says after half an hour why a model has not started', async () => {
  const { job, service } = await begun(api, tenant);
  api.report(service(), onItsWay('Pending'));
  await eventually(
    () => jobOf(job),
    ({ stage }) => isExplained(stage),
  );
  const now = performance.now.bind(performance);
  performance.now = () => now() + 30 * MINUTE;
  const { error } = await ended(tenant.api, job);
  expect(error).toEqual({
    code: 'MODEL_START_TIMEOUT',
    message: `The model did not start within half an hour. ${UNAVAILABLE}`,
  });
});
