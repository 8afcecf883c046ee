import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Slipway } from '../../clients/typescript/src/index.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { flowOf, toolDocument } from '../tools/make.js';
import { openApi, startApi } from '../tools/open-api.js';
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

describe('an OpenAPI document', () => {
  const operation = { operationId: 'find', summary: 'Finds an order.', responses: {} };
  const document = (...names: string[]) => ({
    ...openApi(),
    paths: Object.fromEntries(names.map((name) => [`/${name}`, { get: { ...operation, operationId: name } }])),
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
  });

  it('becomes a tool of each chosen operation, called at another address with a sealed secret', async () => {
    const api = await startApi();
    const imported = await slipway.tools
      .import({
        toolName: 'Orders',
        openApi: document('orders', 'customers', 'stock'),
        operations: ['orders', 'GET /stock'],
        serverUrl: `${api.url}/v2`,
        secrets: { KEY: 'a secret of the shop' },
      })
      .wait();
    const { tools } = imported.response as unknown as { tools: { toolId: string; operation: string }[] };
    expect(tools.map(({ operation: name }) => name)).toEqual(['orders', 'stock']);
    const { toolId } = tools[0]!;
    await slipway.tools.deploy(toolId).wait();
    expect(await slipway.tools.execute(toolId, { input: {} })).toMatchObject({ output: { place: 'Oslo' } });
    expect(api.last()).toMatchObject({ url: '/v2/orders', headers: { 'x-key': 'a secret of the shop' } });

    const into = { openApi: document('orders'), operations: ['orders'], secrets: { KEY: 'another' } };
    expect(await slipway.tools.importInto(toolId, into).wait()).toMatchObject({ status: 'SUCCESS' });
    api.stop();
  });

  it('may be a file of YAML', async () => {
    const path = join(process.env.TEST_FOLDER!, 'orders.yaml');
    writeFileSync(
      path,
      'openapi: 3.0.3\nservers: [{ url: https://a.example }]\npaths: { /a: { get: { operationId: a, responses: {} } } }\n',
    );
    expect(await slipway.tools.import({ toolName: 'Yaml', openApi: path }).wait()).toMatchObject({ status: 'SUCCESS' });
  });
});
