import { fileURLToPath } from 'node:url';
import { ask } from '../gateway/calls.js';
import { deploy, deployed, ended, importModel, undeploy } from '../models/models.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { fourNumbers, safetensors } from '../support/models/safetensors.js';
import { startProcess } from '../support/process.js';
import { untilWaiting } from '../support/running.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

/** Processes with room for one replica. */
const settings = {
  SLIPWAY_CONFIG: fileURLToPath(new URL('./model-hosts.plugin.mjs', import.meta.url)),
  LOG_LEVEL: 'warn',
  MODEL_HOST_REPLICAS: '1',
};
const patient = await startProcess({ ...settingsFor(await createDatabase()), ...settings });
/** It kills a replica soon after that is no longer needed. */
const service = await startProcess({
  ...settingsFor(await createDatabase()),
  ...settings,
  MODEL_TIMEOUT_SECONDS: '2',
});
const database = new TestDatabase(service.databaseUrl);
const tenant = await makeTenant(service);
const { api } = tenant;
afterAll(async () => {
  await database.end();
  await service.stop();
  await patient.stop();
});

const file = { content: safetensors(), fileName: 'weights', fileExtension: 'safetensors' };
const addresses = async () =>
  (await database.rows<{ address: string }>('select address from model_replica')).map(({ address }) => address);
const isListening = (address: string) =>
  fetch(address).then(
    () => true,
    () => false,
  );

it('gives the place of a replica whose start does not end to another one, and kills it when it arrives', async () => {
  const content = safetensors({ unsettled: fourNumbers() });
  const modelId = await deployed(api, await importModel(api, { ...file, content }));
  const [address] = await addresses();
  await undeploy(api, modelId);
  expect(await isListening(address!)).toBe(true);

  const otherId = await deployed(api, await importModel(api, file));
  await eventually(async () => !(await isListening(address!)));
  await undeploy(api, otherId);
});

it('gives the place of a replica to another one at once when its deployment is cancelled during its start', async () => {
  const owner = await makeTenant(patient);
  const content = safetensors({ 'unsettled and silent': fourNumbers() });
  const modelId = await importModel(owner.api, { ...file, content });
  const { body: job } = await deploy(owner.api, modelId);
  // The host is called when the files of the model are there.
  const jobs = `/api/admin/v1/projects/${owner.projectId}/dock-jobs`;
  await eventually(
    () => administratorOf(patient).get<{ data: { percentageComplete: number }[] }>(jobs),
    ({ body }) => body.data[0]!.percentageComplete >= 60,
  );
  expect((await administratorOf(patient).post(`${jobs}/${job.dockStatusId}/cancel`)).outcome).toBe('200');
  const otherId = await importModel(owner.api, file);
  // The host may not have noticed the cancellation yet.
  await eventually(
    async () => (await ended(owner.api, (await deploy(owner.api, otherId)).body)).status,
    (status) => status === 'SUCCESS',
  );
  await undeploy(owner.api, otherId);
});

it('keeps no row of a replica that ends while the row is stored', async () => {
  const modelId = await deployed(api, await importModel(api, file));
  // A row of a replica cannot be stored while the row of its deployment is locked. It can be deleted.
  const lock = await database.openTransaction('select from model_deployment where model_id = $1 for update', [modelId]);
  await ask(tenant, modelId, { messages: [{ role: 'user', content: 'Vanish' }] });
  await untilWaiting(database, 'insert into model_replica');
  await eventually(() => service.output().split('A replica ended').length > 2);
  await lock.commit();
  await eventually(async () => {
    const [address, ...others] = await addresses();
    return others.length === 0 && address !== undefined && (await isListening(address));
  });
  expect((await ask(tenant, modelId)).outcome).toBe('200');
});
