import { ask } from '../gateway/calls.js';
import { runPod } from '../support/kubernetes/pod.js';
import { blocked } from '../support/kubernetes/statuses.js';
import { zipOf } from '../support/models/archives.js';
import { text, u32 } from '../support/models/gguf-writer.js';
import { tinyAdapter } from '../support/models/tiny-adapter.js';
import { SAID, tinyModel } from '../support/models/tiny-model.js';
import { eventually } from '../support/eventually.js';
import { begun, type InCluster, startInCluster } from './in-cluster.js';
import { ended, importModel, textOf, undeploy } from './models.js';

const { api, balancer, tenant, live } = await startInCluster({ STOP_DELAY_SECONDS: '2' });

async function fail({ job, service }: InCluster, lastFailureInfo: object) {
  api.report(service(), blocked({ reason: 'ModelLoadFailed', ...lastFailureInfo }));
  return (await ended(tenant.api, job)).error!;
}

it('serves a model in an archive, and an adapter over its base model', async () => {
  const name = 'a folder/$$ $(KUBERNETES_SERVICE_HOST) $(NOWHERE).gguf';
  const zip = await zipOf({ [name]: tinyModel() });
  const packed = await live({ content: zip, fileName: 'packed', fileExtension: 'zip' });
  expect(textOf(await ask(tenant, packed.modelId))).toBe(SAID);
  await undeploy(tenant.api, packed.modelId);

  await importModel(tenant.api, { fileName: 'base-of-cluster' });
  const content = tinyAdapter({ baseModel: 'base-of-cluster' });
  const adapter = await live({ content, isAdapter: true }, {}, 'fineTune');
  expect(textOf(await ask(tenant, adapter.modelId))).not.toBe(SAID);
  await undeploy(tenant.api, adapter.modelId);
});

it('reads its model again if the service is busy or asks it to wait', async () => {
  balancer.refusals.push(429, 408);
  const { modelId } = await live();
  expect(balancer.refusals).toEqual([]);
  await undeploy(tenant.api, modelId);
});

it('reads its model again if the connection breaks off, and says so', async () => {
  // The first answer has the size of the file alone.
  balancer.broken = 2;
  const { modelId, pod } = await live();
  const again = await pod.said('The replica tries again to read its model: ');
  expect(again).toBe('the connection to the service broke off.');
  await undeploy(tenant.api, modelId);
});

it('ends if its archive has no such file, or if there is no room', async () => {
  const content = await zipOf({ 'tiny.gguf': tinyModel() });
  const deployment = await begun(api, tenant, { content, fileName: 'packed', fileExtension: 'zip' });
  const messageOf = async (here: object) => {
    const { exitCode, message } = await (await runPod(api, deployment.service(), here)).ended;
    expect(exitCode).toBe(1);
    return message;
  };
  expect(await messageOf({ modelEntry: 'other.gguf' })).toContain('The archive no longer contains other.gguf');
  const message = await messageOf({ modelsFolder: '/dev/null' });
  expect(message).toContain('The replica could not start: ENOTDIR');
  expect(await fail(deployment, { exitCode: 1, message })).toMatchObject({ code: 'REPLICA_DIED' });
});

it('says of a model that the engine cannot load what the replica said in its container', async () => {
  const content = tinyModel({ meta: { 'llama.block_count': u32(40) } });
  const deployment = await begun(api, tenant, { content });
  const { exitCode, message } = await (await runPod(api, deployment.service())).ended;
  const error = await fail(deployment, { exitCode, message });
  expect(error).toMatchObject({ code: 'MODEL_NOT_LOADED' });
  expect(error.message).toMatch(/^The engine cannot load the model: /);
});

it('ends at once if it is stopped while it loads its model', async () => {
  const endless = text('{% for i in range(1000000000) %}{{ messages }}{% endfor %}');
  const content = tinyModel({ meta: { 'tokenizer.chat_template': endless } });
  const deployment = await begun(api, tenant, { content });
  const pod = await runPod(api, deployment.service());
  await pod.said('The model is being loaded');
  pod.terminate();
  expect(await pod.ended).toEqual({ exitCode: 0, message: '' });
  await fail(deployment, { exitCode: 1 });
});

it('answers calls after it is stopped until the cluster sends it none', async () => {
  const { modelId, pod } = await live();
  const address = await pod.listening();
  const connection = async () => (await fetch(address)).headers.get('connection');
  expect(await connection()).toBe('keep-alive');
  pod.terminate();
  await pod.said('The replica takes calls for 2 more seconds');
  // The cluster does not move connections that callers keep.
  await eventually(connection, (header) => header === 'close');
  expect((await ask(tenant, modelId)).outcome).toBe('200');
  expect(await pod.ended).toEqual({ exitCode: 0, message: '' });
  await undeploy(tenant.api, modelId);
});
