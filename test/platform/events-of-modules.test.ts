import { Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { type EventDefinition, eventDefinitions } from '../../src/kernel/events.js';
import { OnEvent } from '../../src/platform/events/on-event.js';
import { activate, makeActiveAgent, say } from '../agents/make.js';
import { connectTo } from '../gateway/calls.js';
import { upload } from '../files/files.js';
import { ended, liveModel, undeploy } from '../models/models.js';
import { makeSession, ref, terminate } from '../sessions/make.js';
import { administratorOf, makeKey, makeTenant, revoke } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { deployedTool, TOOLS } from '../tools/make.js';
import { accepted, follow, openChannel, send } from '../webhooks/channel.js';

/** The payloads that were published, by the name of the event. */
const published: { name: string; payload: Record<string, unknown> }[] = [];

/** Listens to every event that a module has. */
class Listeners {}
for (const event of eventDefinitions()) listenTo(event);

function listenTo(event: EventDefinition): void {
  const value = (payload: object) => void published.push({ name: event.name, payload: { ...payload } });
  OnEvent(event)(Listeners.prototype, event.name, { value });
  Object.defineProperty(Listeners.prototype, event.name, { value });
}

@Module({ imports: [AppModule], providers: [Listeners] })
class Root {}

const service = await startService({}, Root);
const admin = administratorOf(service);
const receiver = await Receiver.start();
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await double.stop();
});

/** Waits for the events of a project with this beginning of their names, and returns them in their order. */
async function eventsOf(projectId: string, beginning: string, names: string[]) {
  const found = () =>
    published.filter(({ name, payload }) => payload.projectId === projectId && name.startsWith(beginning));
  const all = await eventually(found, ({ length }) => length >= names.length);
  expect(all.map(({ name }) => name)).toEqual(names);
  return all.map(({ payload }) => payload);
}

it('publishes that keys are created, rotated and revoked, without their values', async () => {
  const { projectId, appId, scopeId, scopeName, keyId: first, key } = await makeTenant(service);
  const { keyId } = await makeKey(service, appId, scopeName);
  const path = `/api/admin/v1/apps/${appId}/apikeys/${keyId}`;
  expect((await admin.post(`${path}/rotate`, { graceSeconds: 0 })).outcome).toBe('200');
  expect((await revoke(service, appId, keyId)).outcome).toBe('200');
  const names = ['api-key.created', 'api-key.created', 'api-key.rotated', 'api-key.revoked'];
  const payloads = await eventsOf(projectId, 'api-key', names);
  const payload = { keyId, scopeId, appId, projectId };
  expect(payloads).toEqual([{ ...payload, keyId: first }, payload, payload, payload]);
  expect(JSON.stringify(published)).not.toContain(key);
});

it('publishes that the keys of a deleted scope are revoked', async () => {
  const { projectId, appId, scopeId } = await makeTenant(service);
  expect((await admin.delete(`/api/admin/v1/apps/${appId}/scopes/${scopeId}`)).status).toBeLessThan(300);
  await eventsOf(projectId, 'api-key', ['api-key.created', 'api-key.revoked']);
});

it('publishes that files are uploaded and deleted', async () => {
  const { api, projectId } = await makeTenant(service);
  const { fileId } = (await upload(api)).body;
  expect((await admin.delete(`/api/admin/v1/projects/${projectId}/files/${fileId}`)).outcome).toBe('200');
  const payloads = await eventsOf(projectId, 'file', ['file.uploaded', 'file.deleted']);
  expect(payloads).toEqual([
    { fileId, projectId, context: 'bulkImport', size: 11 },
    { fileId, projectId },
  ]);
});

it('publishes that tools are deployed and undeployed', async () => {
  const tenant = await makeTenant(service);
  const { api, projectId } = tenant;
  const toolId = await deployedTool(tenant);
  expect((await api.post(`${TOOLS}/${toolId}/undeploy`)).outcome).toBe('200');
  const payloads = await eventsOf(projectId, 'tool', ['tool.deployed', 'tool.undeployed']);
  const versionId = expect.stringMatching(/^tv-/) as string;
  expect(payloads).toEqual([
    { toolId, projectId, versionId },
    { toolId, projectId },
  ]);
});

it('publishes that models are deployed and undeployed', async () => {
  const { api, projectId } = await makeTenant(service);
  const modelId = await liveModel(api);
  await ended(api, (await undeploy(api, modelId)).body);
  const payloads = await eventsOf(projectId, 'model', ['model.deployed', 'model.undeployed']);
  const deploymentId = expect.stringMatching(/^md-/) as string;
  expect(payloads).toEqual([
    { modelId, projectId, deploymentId },
    { modelId, projectId },
  ]);
});

it('publishes that agents are activated and deactivated', async () => {
  const tenant = await makeTenant(service);
  const { appId, projectId } = tenant;
  const { agentId, versionId } = await makeActiveAgent(service, tenant);
  for (const active of [true, false]) await activate(service, appId, agentId, { active });
  const payloads = await eventsOf(projectId, 'agent', ['agent.activated', 'agent.deactivated']);
  const payload = { projectId, appId, environment: 'production', agentId, versionId };
  expect(payloads).toEqual([payload, payload]);
});

it('publishes how turns end, and what becomes of their session', async () => {
  const tenant = await makeTenant(service);
  const { appId, projectId } = tenant;
  await makeActiveAgent(service, tenant);
  const { runId, session } = (await say(tenant, 'talk', 'Hello')).body;
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double, 'no-key') });
  const failed = (await say(tenant, 'talk', 'Hello')).body;
  await terminate(tenant, [ref('talk')]);
  const inSession = { projectId, appId, environment: 'production', sessionId: session.sessionId };
  expect(await eventsOf(projectId, 'turn', ['turn.completed', 'turn.failed'])).toEqual([
    { ...inSession, runId },
    { ...inSession, runId: failed.runId, code: 'MODEL_CALL_FAILED' },
  ]);
  expect(await eventsOf(projectId, 'session', ['session.created', 'session.ended'])).toEqual([
    inSession,
    { ...inSession, reason: 'terminated' },
  ]);
});

it('publishes that messages are accepted, and nothing of refused ones', async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url('accepted'), events: ['agent.response'] });
  const { projectId } = channel.tenant;
  expect((await send(channel, { session_key: 'http_async:nowhere' })).outcome).toBe('400 INVALID_SESSION_KEY');
  const { message_id: messageId } = await accepted(channel);
  const { session_id: sessionId } = await follow(channel, messageId);
  const [turn] = await eventsOf(projectId, 'turn', ['turn.completed']);
  const { subscriptionId } = channel.subscription;
  expect(await eventsOf(projectId, 'message', ['message.accepted'])).toEqual([
    { messageId, projectId, subscriptionId, sessionId, runId: turn!.runId },
  ]);
});

it.each([
  ['well', 'callback.delivered'],
  ['gone', 'callback.failed'],
])('publishes of a receiver that is %s: %s', async (behaviour, name) => {
  const channel = await openChannel(service, { callbackUrl: receiver.url(behaviour), events: ['agent.response'] });
  const { projectId } = channel.tenant;
  const { message_id: messageId } = await accepted(channel);
  const { subscriptionId } = channel.subscription;
  const deliveryId = expect.stringMatching(/^dl-/) as string;
  expect(await eventsOf(projectId, 'callback', [name])).toEqual([
    { deliveryId, projectId, subscriptionId, messageId, event: 'agent.response' },
  ]);
});

it('publishes every event that is defined', async () => {
  await makeSession(await makeTenant(service));
  const names = new Set(published.map(({ name }) => name));
  expect(eventDefinitions().filter(({ name }) => !names.has(name))).toEqual([]);
});
