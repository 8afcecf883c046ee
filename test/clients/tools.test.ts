import { fileURLToPath } from 'node:url';
import { Slipway } from '../../clients/typescript/src/index.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { flowOf, toolDocument } from '../tools/make.js';
import { FaultyProxy } from './faulty-proxy.js';

const service = await startService();
const tenant = await makeTenant(service);
const proxy = await FaultyProxy.start(service.url);
const slipway = new Slipway({ url: proxy.url, apiKey: tenant.key, adminKey: service.adminKey });
afterAll(() => Promise.all([proxy.stop(), service.stop()]));

const example = (name: string) => fileURLToPath(new URL(`../../docs/examples/tool/${name}.json`, import.meta.url));

it('imports, deploys, runs, exports and undeploys a tool', async () => {
  const imported = slipway.tools.import({ toolName: 'Temperature', tool: example('tool'), flow: example('flow') });
  await imported.wait();
  const toolId = (await imported).toolId!;
  const percents: number[] = [];
  await slipway.tools.deploy(toolId).wait({ onProgress: ({ percent }) => percents.push(percent) });
  expect(percents.at(-1)).toBe(100);

  const run = await slipway.tools.execute(toolId, { input: { celsius: 20 } });
  expect(run).toMatchObject({ status: 'completed', output: { fahrenheit: 68 } });
  expect(await slipway.tools.readRun(toolId, run.runId)).toMatchObject({ toolId, status: 'completed' });

  const exported = await slipway.tools.export(toolId, 'main').wait();
  expect((await fetch(exported.response!.downloadUrl!)).status).toBe(200);

  await slipway.tools.undeploy(toolId).wait();
  await expect(slipway.tools.execute(toolId, { input: {} })).rejects.toMatchObject({ code: 'TOOL_NOT_DEPLOYED' });
  const names = [];
  for await (const { toolName } of slipway.tools.list()) names.push(toolName);
  expect(names).toEqual(['Temperature']);
  const actions = [];
  for await (const { action } of slipway.jobs.list()) actions.push(action);
  expect(actions.sort()).toEqual(['DEPLOY', 'EXPORT', 'IMPORT', 'UNDEPLOY']);
});

it('follows a job although its stream is lost twice', async () => {
  proxy.next(/events$/, { kind: 'lost request' }, { kind: 'cut answer' });
  const documents = { tool: toolDocument(), flow: flowOf([]) };
  const job = await slipway.tools.import({ toolName: 'Followed', ...documents }).wait();
  expect(job.status).toBe('SUCCESS');
  expect(proxy.at(/events$/).length).toBeGreaterThanOrEqual(2);
});

it('throws the reason why a document was refused', async () => {
  const flow = flowOf([{ id: 'x', type: 'unknown' }]);
  const imported = slipway.tools.import({ toolName: 'Refused', tool: toolDocument(), flow });
  await expect(imported.wait()).rejects.toMatchObject({ code: 'FLOW_DOCUMENT_INVALID' });
});
