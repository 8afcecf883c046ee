import { fileURLToPath } from 'node:url';
import { ask, ledgerOf } from '../gateway/calls.js';
import { deploy, deployed, ended, importModel, PATIENCE_MS, read, textOf, undeploy } from '../models/models.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { zipOf } from '../support/models/archives.js';
import { fourNumbers, huggingFaceFolder, safetensors } from '../support/models/safetensors.js';
import { SAID, tinyModel } from '../support/models/tiny-model.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';

const settings = settingsFor(await createDatabase());
const plugin = fileURLToPath(new URL('./model-hosts.plugin.mjs', import.meta.url));
const service = await startProcess({ ...settings, SLIPWAY_CONFIG: plugin, LOG_LEVEL: 'warn' });
const tenant = await makeTenant(service);
const { api } = tenant;
afterAll(() => service.stop());

const content = safetensors();
const HEARD = `Acme read ${content.length} bytes and heard Hello`;
const file = { content, fileName: 'weights', fileExtension: 'safetensors' };
const say = (modelId: string, text: string) => ask(tenant, modelId, { messages: [{ role: 'user', content: text }] });

it('serves a model on the host of a plugin, from the import to the ledger', async () => {
  const modelId = await deployed(api, await importModel(api, file));
  expect(await read(api, modelId)).toMatchObject({ state: 'DEPLOYED', deployment: { state: 'LIVE', host: 'acme' } });
  const answer = await ask(tenant, modelId);
  expect(textOf(answer)).toBe(HEARD);
  expect(await ledgerOf(tenant)).toMatchObject([{ provider: 'custom', status: 'success', completionTokens: 5 }]);
  expect((await say(modelId, 'Rhyme')).outcome).toBe('400 MODEL_REQUEST_NOT_TAKEN');
  expect((await undeploy(api, modelId)).outcome).toBe('200');
  expect((await ask(tenant, modelId)).outcome).toBe('409 MODEL_NOT_DEPLOYED');
});

it('starts a replica of the plugin again that has died', async () => {
  const modelId = await deployed(api, await importModel(api, file));
  await say(modelId, 'Crash');
  await eventually(
    () => ask(tenant, modelId),
    ({ outcome }) => outcome === '200',
    PATIENCE_MS,
  );
});

const NOT_STARTED = 'A replica of the model could not be started. The log of the host says why.';

it.each([
  ['throwing', NOT_STARTED, 'Acme has no machine.'],
  ['rejecting', NOT_STARTED, 'Acme has no disk.'],
  ['ending', 'The replica was killed.', 'The replica was killed.'],
])('says why a deployment fails if its host is %s at the start', async (fault, message, logged) => {
  const content = safetensors({ [fault]: fourNumbers() });
  const job = await ended(api, (await deploy(api, await importModel(api, { ...file, content }))).body);
  expect(job.error).toEqual({ code: 'REPLICA_DIED', message });
  await eventually(() => service.output().includes(logged));
});

it('prefers the host of the first plugin, and serves the models that it refuses on the local host', async () => {
  const hostOf = async (name: string) => {
    const modelId = await deployed(api, await importModel(api, { content: tinyModel({ name }) }));
    return { host: (await read(api, modelId)).deployment!.host, text: textOf(await ask(tenant, modelId)) };
  };
  expect(await hostOf('Acme small')).toMatchObject({ host: 'acme' });
  expect(await hostOf('Tiny')).toEqual({ host: 'local', text: SAID });
});

it('says of all hosts why they cannot serve a model', async () => {
  const folder = { content: await zipOf(huggingFaceFolder()), fileName: 'bert', fileExtension: 'zip' };
  const job = await ended(api, (await deploy(api, await importModel(api, folder))).body);
  expect(job.error).toMatchObject({ code: 'FORMAT_NOT_SERVED' });
  expect(job.error!.message).toMatch(
    /^Acme serves safetensors files alone\. Later serves safetensors files alone\. The local host runs GGUF files/,
  );
});

it('serves the models in another process when theirs stops', async () => {
  const modelId = await deployed(api, await importModel(api, file));
  const other = await startProcess({ ...settings, SLIPWAY_CONFIG: plugin });
  await service.stop();
  const elsewhere = { ...tenant, api: Client.withKey(other, tenant.key) };
  await eventually(
    () => ask(elsewhere, modelId),
    ({ outcome }) => outcome === '200',
    PATIENCE_MS,
  );
  await other.stop();
});
