import { fileURLToPath } from 'node:url';
import { deployed, importModel, undeploy } from '../models/models.js';
import { makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { fourNumbers, safetensors } from '../support/models/safetensors.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

/** The process has room for one replica, and kills it soon after it is no longer needed. */
const service = await startProcess({
  ...settingsFor(await createDatabase()),
  SLIPWAY_CONFIG: fileURLToPath(new URL('./model-hosts.plugin.mjs', import.meta.url)),
  MODEL_HOST_REPLICAS: '1',
  MODEL_TIMEOUT_SECONDS: '2',
});
const database = new TestDatabase(service.databaseUrl);
const { api } = await makeTenant(service);
afterAll(async () => {
  await database.end();
  await service.stop();
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
