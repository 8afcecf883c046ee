import { Slipway, verifyCallback } from '../../clients/typescript/src/index.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { Receiver, type ReceivedCallback } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { McpDouble } from '../mcp-connections/mcp-double.js';

const service = await startService();
const tenant = await makeTenant(service);
const receiver = await Receiver.start();
const slipway = new Slipway({ url: service.url, apiKey: tenant.key, adminKey: service.adminKey });
afterAll(() => Promise.all([receiver.stop(), service.stop()]));

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found = [];
  for await (const row of rows) found.push(row);
  return found;
}

async function callbackFor(subscriptionId: string): Promise<ReceivedCallback> {
  const before = receiver.callbacks.length;
  await slipway.webhooks.subscriptions.test(subscriptionId);
  return (
    await eventually(
      () => receiver.callbacks.slice(before),
      ({ length }) => length > 0,
    )
  )[0]!;
}

it('lets an agent answer a message, whose callback is verified', async () => {
  const agent = await slipway.agents.create({ name: 'Agent', instructions: 'Be kind.' });
  await slipway.agents.activate(agent.agentId);
  const { subscriptionId, secret } = await slipway.webhooks.subscriptions.create({
    displayName: 'Ours',
    callbackUrl: receiver.url(),
    events: ['agent.response'],
    appId: tenant.appId,
  });
  const sent = await slipway.messages.send({ subscription_id: subscriptionId, message: 'Hello', session_key: 'me' });
  const [received] = await eventually(
    () => receiver.callbacks,
    ({ length }) => length > 0,
  );
  const callback = await verifyCallback(received!.raw, received!.headers, secret!);
  expect(callback).toMatchObject({
    event: 'agent.response',
    id: sent.message_id,
    body: { session_key: sent.session_key },
  });
  const [delivery] = await eventually(
    () => all(slipway.webhooks.deliveries.list(subscriptionId)),
    ([one]) => one?.status === 'DELIVERED',
  );
  expect(await slipway.webhooks.deliveries.read(delivery!.deliveryId)).toMatchObject({ status: 'DELIVERED' });
  expect(await slipway.messages.read(sent.message_id)).toMatchObject({ status: 'completed' });
  expect((await all(slipway.agents.list())).map(({ name }) => name)).toEqual(['Agent']);
});

it('refuses a callback that is not genuine, and takes both secrets during a rotation', async () => {
  const { subscriptionId, secret: first } = await slipway.webhooks.subscriptions.create({
    displayName: 'Rotated',
    callbackUrl: receiver.url('rotated'),
    events: ['agent.response'],
    appId: tenant.appId,
  });
  const { secret: second } = await slipway.webhooks.subscriptions.rotateSecret(subscriptionId);
  const { raw, headers } = await callbackFor(subscriptionId);
  await verifyCallback(raw, headers, first!);
  await verifyCallback(new TextEncoder().encode(raw), new Headers(headers), second!);
  const titled = (name: string) => name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
  for (const written of [titled, (name: string) => name.toUpperCase()]) {
    const entries = Object.entries(headers).map(([name, value]) => [written(name), value] as const);
    expect(Object.keys(Object.fromEntries(entries))).not.toContain('webhook-id');
    await verifyCallback(raw, Object.fromEntries(entries), second!);
  }

  const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
  const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) };
  const notGenuine = { code: 'CALLBACK_NOT_GENUINE' };
  await expect(verifyCallback(raw, headers, other)).rejects.toMatchObject(notGenuine);
  await expect(verifyCallback(`${raw} `, headers, first!)).rejects.toMatchObject(notGenuine);
  await expect(verifyCallback(raw, old, first!)).rejects.toMatchObject(notGenuine);
  await expect(verifyCallback(raw, { ...headers, 'webhook-signature': 'v1,AAAA' }, first!)).rejects.toMatchObject(
    notGenuine,
  );
  await expect(verifyCallback(raw, {}, first!)).rejects.toMatchObject(notGenuine);
  await expect(verifyCallback(raw, headers, 'whsec_')).rejects.toThrow('begins with whsec_');
});

it('creates, rotates, lists and revokes keys', async () => {
  const key = await slipway.keys.create({ scope_name: tenant.scopeName, api_key_name: 'short-lived' });
  const rotated = await slipway.keys.rotate(key.key_id);
  const own = new Slipway({ url: service.url, apiKey: rotated.apikey! });
  expect((await own.me()).key_name).toBe('short-lived');
  expect((await all(slipway.keys.list())).map(({ keyId }) => keyId)).toContain(key.key_id);
  await slipway.keys.revoke(key.key_id);
  await expect(own.me()).rejects.toMatchObject({ code: 'API_KEY_INVALID' });
});

it('creates, changes and lists connections', async () => {
  const { connectionId } = await slipway.connections.create({
    provider: 'Vendor1',
    connectionName: 'ours',
    model: 'gpt-4o',
    fields: { API_KEY: 'sk-of-nobody' },
  });
  const changed = await slipway.connections.update(connectionId, { fields: { API_KEY: 'sk-of-another' } });
  expect(await slipway.connections.read(connectionId)).toMatchObject({ fields: changed.fields });
  expect(await all(slipway.connections.list({ provider: 'Vendor1' }))).toHaveLength(1);
});

it('creates bots and reads their conversations', async () => {
  const { botId } = await slipway.agentAssist.createBot({ name: 'Bot' });
  expect((await all(slipway.agentAssist.bots())).map((bot) => bot.botId)).toEqual([botId]);
  expect(await all(slipway.agentAssist.conversations(botId))).toEqual([]);
  const report = slipway.agentAssist.report({ botId, conversationId: 'c-1' }, { token: 'not.a.token' });
  await expect(report).rejects.toMatchObject({ code: 'TOKEN_INVALID', status: 401 });
});

it('creates, reads, changes and deletes a connection to an MCP server, and lists its tools', async () => {
  const server = await McpDouble.start();
  const { mcpConnections } = slipway;
  const made = await mcpConnections.create({
    name: 'Reference',
    url: server.url,
    headers: [{ key: 'x-key', value: 'a secret of the server' }],
  });
  const { tools } = await mcpConnections.tools(made.mcpConnectionId);
  expect(tools.length).toBeGreaterThan(0);
  const allowed = tools[0]!.name;
  await mcpConnections.update(made.mcpConnectionId, { allowedTools: [allowed] });
  expect((await mcpConnections.tools(made.mcpConnectionId)).tools.map(({ name }) => name)).toEqual([allowed]);
  expect(await mcpConnections.read(made.mcpConnectionId)).toMatchObject({ allowedTools: [allowed] });
  const listed = await all(mcpConnections.list());
  expect(listed.map(({ mcpConnectionId }) => mcpConnectionId)).toEqual([made.mcpConnectionId]);
  expect(JSON.stringify(listed)).not.toContain('a secret of the server');
  await mcpConnections.delete(made.mcpConnectionId);
  await expect(mcpConnections.read(made.mcpConnectionId)).rejects.toMatchObject({ status: 404 });
  await server.stop();
});
