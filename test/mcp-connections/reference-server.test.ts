import { makeActiveAgent, say } from '../agents/make.js';
import { connectTo } from '../gateway/calls.js';
import { details } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { deployedTool, type DockBody, ended, execute, flowOf, TOOLS, uploadJson } from '../tools/make.js';
import { openApi, startApi } from '../tools/open-api.js';
import { makeMcpConnection, toolsOf } from './make.js';
import { startReferenceServer } from './reference-server.js';

const reference = await startReferenceServer();
const api = await startApi();
const model = await ModelDouble.start();
const service = await startService();
const tenant = await makeTenant(service);
afterAll(async () => {
  await service.stop();
  await model.stop();
  api.stop();
  await reference.stop();
});

const inQuery = (name: string) => ({ name, in: 'query', schema: { type: 'integer' } });
const order = openApi({ servers: [{ url: api.url }] }, { parameters: [inQuery('a'), inQuery('b')] });

async function deployOperation(): Promise<string> {
  const fileId = await uploadJson(tenant, order);
  const files = { toolDataFileId: fileId, flowDataFileId: fileId };
  const { body } = await tenant.api.post<DockBody>(`${TOOLS}/import`, { toolName: 'Orders', ...files });
  const { toolId } = await ended(tenant, body);
  expect((await tenant.api.post(`${TOOLS}/${toolId}/deploy`, { isAsync: false })).outcome).toBe('200');
  return toolId;
}

it('all tools of the reference server are offered', async () => {
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, { url: reference.url });
  const { body } = await toolsOf(service, tenant, mcpConnectionId);
  expect(body.data.omitted).toEqual([]);
  expect(body.data.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'get-structured-content']),
  );
});

it('one turn calls a tool of the reference server and one of an OpenAPI document, and the trace shows both', async () => {
  const toolId = await deployOperation();
  const { mcpConnectionId } = await makeMcpConnection(service, tenant, {
    url: reference.url,
    allowedTools: ['get-sum'],
  });
  const connectionId = await connectTo(tenant, model, 'every-tool');
  await makeActiveAgent(service, tenant, { connectionId, toolIds: [toolId], mcpConnectionIds: [mcpConnectionId] });
  const { body } = await say(tenant, 'both', 'Add 2 and 3, and find the order.');
  expect(body).toMatchObject({ status: 'completed', usage: { toolCalls: 2 } });
  expect(api.last()).toMatchObject({ method: 'POST', url: '/orders?a=2&b=3' });
  const { sessions } = (await details(tenant, body.session.sessionId, { include: ['traces', 'observations'] })).body;
  const observations = sessions[0]!.traces.flatMap((trace) => trace.observations);
  const outputOf = (name: string) =>
    (observations.find((each) => each.name === name) as unknown as { output: unknown }).output;
  expect(outputOf('get-sum')).toBe('The sum of 2 and 3 is 5.');
  expect(outputOf('find')).toBe('{"place":"Oslo"}');
});

const RESOURCE = 'get-resource-reference';

it.each<[string, object, RegExp]>([
  ['get-tiny-image', {}, /^Here's the image.*\n\[image, image\/png, [1-9]\d+ bytes\]\nThe image above/],
  [RESOURCE, { resourceType: 'Text' }, /\nResource 1: This is a plaintext resource created at/],
  [
    RESOURCE,
    { resourceType: 'Blob' },
    /\n\[resource demo:\/\/resource\/dynamic\/blob\/1, text\/plain, [1-9]\d+ bytes\]\n/,
  ],
  [
    'get-resource-links',
    { count: 1 },
    /\n\[resource link Blob Resource 1 demo:\/\/resource\/dynamic\/blob\/1, text\/plain: Resource 1: .*\]$/,
  ],
  ['get-structured-content', { location: 'Chicago' }, /^\{"temperature":36,/],
])('a result of the reference server becomes text: %s %j', async (tool, input, text) => {
  const { mcpConnectionId: connectionId } = await makeMcpConnection(service, tenant, { url: reference.url });
  const toolId = await deployedTool(tenant, {
    flow: flowOf([{ id: 'ask', type: 'mcp', connectionId, tool, input }]),
  });
  const { body } = await execute(tenant, toolId);
  expect(body).toMatchObject({ status: 'completed', output: { text: expect.stringMatching(text) as string } });
});

it('the model and the trace get a description of an image, and not its bytes', async () => {
  const own = await makeTenant(service);
  const { mcpConnectionId } = await makeMcpConnection(service, own, { url: reference.url });
  await makeActiveAgent(service, own, { mcpConnectionIds: [mcpConnectionId] });
  const { body } = await say(own, 'image', 'Ask get-tiny-image');
  expect(body.output[0]!.content).toMatch(/\[image, image\/png, [1-9]\d+ bytes\]/);
  const { text } = await details(own, body.session.sessionId, { include: ['traces', 'observations'] });
  expect(text).toMatch(/\[image, image\/png, [1-9]\d+ bytes\]/);
  expect(text).not.toContain('iVBORw0KGgo');
});
