import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeActiveAgent } from '../agents/make.js';
import { makeTenant } from '../support/actors.js';
import { tinyModel } from '../support/models/tiny-model.js';
import { startService } from '../support/service.js';
import { folderWithClient } from './packed.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
const folder = await folderWithClient();
const env = { SLIPWAY_URL: service.url, SLIPWAY_API_KEY: tenant.key };
afterAll(() => service.stop());

it('the journey of the README runs in an empty folder with the packed client', async () => {
  const readme = readFileSync(new URL('../../clients/typescript/README.md', import.meta.url), 'utf8');
  const [, journey] = /The journey in twenty lines\n\n```ts\n(.+?)```/s.exec(readme)!;
  writeFileSync(join(folder.path, 'tiny.gguf'), tinyModel());
  const printed = await folder.node(journey!, env);
  expect(journey!.trim().split('\n').length).toBeLessThanOrEqual(20);
  expect(printed).toMatch(/The run is completed\nmock \d+ \d/);
  expect(printed).toMatch(/upload 100\n(job \d+\n)+The model is cm-/);
});

it('one shell session goes from a key to a streamed answer, its row in the ledger and a deployed tool', async () => {
  cpSync(new URL('../../docs/examples/tool', import.meta.url), join(folder.path, 'tool'), { recursive: true });
  const lines = `
    echo "$KEY" | npx slipway login --url ${service.url} --key-stdin >&2
    npx slipway chat Where is my order? --session shell
    npx slipway ledger --limit 1
    npx slipway tools deploy tool
    npx slipway logout >&2`;
  const printed = await folder.shell(lines, { KEY: tenant.key });
  expect(printed).toMatch(/^TIME +MODEL +AGENT/m);
  expect(printed).toMatch(/^\d+ calls, \d+ tokens, cost \d/m);
  expect(printed).toMatch(/^Deployed convert_temperature \(a-\w+\), version tv-/m);
});
