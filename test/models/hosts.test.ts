import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { LocalHost } from '../../src/modules/models/hosts/local.js';
import type { ReplicaEnd } from '../../src/modules/models/hosts/model-host.js';
import { makeTenant } from '../support/actors.js';
import { u32 } from '../support/models/gguf-writer.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { deploy, ended, importModel, read } from './models.js';

const service = await startService({ MODEL_HOST: 'none' });
const { api } = await makeTenant(service);
const folder = await mkdtemp(join(tmpdir(), 'slipway-host-'));
afterAll(() => service.stop());

/** Starts a replica of this file, and returns how it ended. */
async function endOf(content: Uint8Array, after: (address: string) => void = () => undefined): Promise<ReplicaEnd> {
  const modelPath = join(folder, 'model.gguf');
  await writeFile(modelPath, content);
  return new Promise((resolve) => {
    const order = { modelPath, adapterPath: null, token: 'a token', sequences: 1 };
    service.app.get(LocalHost).start(order, { ready: after, load: () => undefined, ended: resolve });
  });
}

it('a file that crashes the engine ends only the process of its replica', async () => {
  const end = await endOf(tinyModel({ meta: { 'llama.attention.head_count': u32(0) } }));
  expect(end.code).toMatch(/^(REPLICA_DIED|MODEL_NOT_LOADED)$/);
  expect((await api.get('/api/public/models')).outcome).toBe('200');
});

it.each([
  ['is cut', tinyModel().subarray(0, 200_000)],
  [
    'is of an unknown architecture',
    tinyModel({ meta: { 'general.architecture': { type: 'string', value: 'other' } } }),
  ],
  ['has more layers in its header than in the file', tinyModel({ meta: { 'llama.block_count': u32(40) } })],
])('a file that %s is not loaded, and the reason names no path', async (_, content) => {
  const end = await endOf(content);
  expect(end.code).toBe('MODEL_NOT_LOADED');
  expect(end.message).not.toContain(folder);
});

it('a deployment fails and says why if no process hosts models', async () => {
  const modelId = await importModel(api);
  const job = await ended(api, (await deploy(api, modelId)).body);
  expect([job.status, job.error?.code]).toEqual(['FAILED', 'NO_MODEL_HOST']);
  expect(job.error!.message).toContain('MODEL_HOST');
  expect((await read(api, modelId)).state).toBe('READY_TO_DEPLOY');
});
