import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeployed, modelToTry, tryModel } from '../../scripts/launcher/model-to-try.mjs';
import { makeActiveAgent, say } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';

const service = await startService();
afterAll(() => service.stop());

const folder = () => mkdtempSync(join(process.env.TEST_FOLDER!, 'models-'));

/** Makes a project as the first start makes the demo, and returns what the launcher knows of it. */
async function demo() {
  const tenant = await makeTenant(service);
  const { agentId } = await makeActiveAgent(service, tenant);
  const dataDir = folder();
  writeFileSync(join(dataDir, 'demo.json'), JSON.stringify({ appId: tenant.appId, agentId, apiKey: tenant.key }));
  const said: string[] = [];
  const lines = (line: string) => void said.push(line);
  return { tenant, said, installation: { url: service.url, dataDir, adminKey: service.adminKey, say: lines } };
}

it('the smallest GGUF file of the folder is offered', () => {
  const models = folder();
  expect(modelToTry(join(models, 'absent'))).toBeUndefined();
  writeFileSync(join(models, 'README.md'), 'GGUF');
  expect(modelToTry(models)).toBeUndefined();
  writeFileSync(join(models, 'large.gguf'), 'x'.repeat(2_000));
  writeFileSync(join(models, 'small.gguf'), 'x');
  mkdirSync(join(models, 'folder'));
  expect(modelToTry(models)).toMatchObject({ file: join(models, 'small.gguf') });
});

it('the agent of the demo answers with the model that is tried', async () => {
  const { tenant, said, installation } = await demo();
  const file = join(folder(), 'tiny.gguf');
  writeFileSync(file, tinyModel());
  expect(await isDeployed(file, installation)).toBe(false);
  await tryModel(file, installation);
  expect(await isDeployed(file, installation)).toBe(true);
  expect(said).toContain('Deploying the model: 100 %');

  const { body } = await say(tenant, 'one', 'Hello');
  expect(body).toMatchObject({ status: 'completed', usage: { calls: 1 } });
  expect(body.output[0]!.content).not.toContain('[mock]');
  await tryModel(file, installation);
  const { body: list } = await tenant.api.get<{ total: number }>('/api/public/models');
  expect(list.total).toBe(1);
});

it('a file that is no model leaves the agent as it was, and the reason is told', async () => {
  const { tenant, installation } = await demo();
  const file = join(folder(), 'broken.gguf');
  writeFileSync(file, 'This is no model.');
  await expect(tryModel(file, installation)).rejects.toMatchObject({ code: expect.any(String) as string });
  const { body } = await say(tenant, 'one', 'Hello');
  expect(body.output[0]!.content).toContain('[mock]');
});
