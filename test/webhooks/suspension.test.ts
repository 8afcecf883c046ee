import { createHmac } from 'node:crypto';
import { makeActiveAgent } from '../agents/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { deployedTool, flowOf, toolDocument } from '../tools/make.js';
import { about, accepted, type Channel, replyTo, send, untilFollowed } from './channel.js';
import { subscribe } from './subscribe.js';

const receiver = await Receiver.start();
const settings = settingsFor(await createDatabase());
let service = await startProcess(settings);
afterAll(async () => {
  await service.kill();
  await receiver.stop();
});

/** Opens a channel whose agent asks a slow office whenever a message names the tool. */
async function slowChannel(): Promise<Channel> {
  const tenant = await makeTenant(service);
  const ask = {
    id: 'ask',
    type: 'http',
    method: 'POST',
    url: receiver.url('office'),
    body: { message_id: '', url: '{{ callback.url }}', secret: '{{ callback.secret }}' },
  };
  const flow = flowOf([ask, { id: 'wait', type: 'wait' }], { end: { output: { answer: '{{ nodes.wait.answer }}' } } });
  const toolId = await deployedTool(tenant, { tool: toolDocument({ name: 'ask_office' }), flow });
  const { agentId } = await makeActiveAgent(service, tenant, { toolIds: [toolId] });
  const members = { callbackUrl: receiver.url('slow-tools'), events: ['agent.response', 'agent.status'] };
  return { tenant, agentId, subscription: await subscribe(service, tenant, members) };
}

interface OfficeRequest {
  url: string;
  secret: string;
}

/** Sends the answer of the office. */
function resume({ url, secret }: OfficeRequest, signedWith = secret): Promise<Answer<{ status: string }>> {
  const rawBody = '{"answer":"Tomorrow"}';
  const signature = `sha256=${createHmac('sha256', signedWith).update(rawBody).digest('hex')}`;
  const headers = { 'x-callback-signature': signature };
  return new Client(service.url).send('POST', new URL(url).pathname, { rawBody, headers });
}

const statusesOf = (message: { message_id: string }) =>
  about(receiver, message as never)
    .filter(({ event }) => event === 'agent.status')
    .sort((one, other) => String(one.body.timestamp).localeCompare(String(other.body.timestamp)))
    .map(({ body }) => body.status);

it('a turn is suspended while a tool waits, even across a crash, and resumed once with the secret', async () => {
  const channel = await slowChannel();
  const session = { session_key: 'slow' };
  const message = await accepted(channel, { ...session, message: 'Please ask_office when it comes' });
  await untilFollowed(channel, message.message_id, ({ status }) => status === 'suspended');
  const next = await accepted(channel, { ...session, message: 'And then?' });
  const [officeRequest] = receiver.at('office').map(({ body }) => body as unknown as OfficeRequest);

  await service.kill();
  service = await startProcess(settings);
  const after: Channel = {
    ...channel,
    tenant: { ...channel.tenant, api: Client.withKey(service, channel.tenant.key) },
  };
  expect(await untilFollowed(after, message.message_id, () => true)).toMatchObject({ status: 'suspended' });
  expect(await untilFollowed(after, next.message_id, () => true)).toMatchObject({ status: 'accepted' });

  expect((await resume(officeRequest!, 'forged')).status).toBe(401);
  expect(about(receiver, message).filter(({ event }) => event === 'agent.response')).toEqual([]);
  expect((await resume(officeRequest!)).status).toBe(200);
  expect((await resume(officeRequest!)).body).toMatchObject({ status: 'already_processed' });

  const { body } = await replyTo(receiver, message);
  expect(body.response).toContain('Tomorrow');
  expect(body).toMatchObject({
    outcome: { status: 'ok', usedFallback: false },
    response_metadata: {
      isLlmGenerated: true,
      responseProvenance: { kind: 'mixed', disclaimerRequired: true, usedLlmInternally: true },
    },
  });
  await eventually(() => statusesOf(message).length === 4);
  expect(statusesOf(message)).toEqual(['processing', 'suspended', 'resumed', 'completed']);
  await replyTo(receiver, next);
  expect(about(receiver, message).filter(({ event }) => event === 'agent.response')).toHaveLength(1);
  expect((await send(after, session)).outcome).toBe('202');
});

it('erasing a user deletes messages and tool runs at once, and callbacks when they have been delivered', async () => {
  const channel = await slowChannel();
  const members = { session_key: 'forget-me', metadata: { word: 'Sancho-Vy77' } };
  await replyTo(receiver, await accepted(channel, { ...members, message: 'My word is Quixote-Vy77' }));
  const waiting = await accepted(channel, { ...members, message: 'Please ask_office about Quixote-Vy77' });
  await untilFollowed(channel, waiting.message_id, ({ status }) => status === 'suspended');
  const [officeRequest] = receiver.at('office').slice(-1);

  const admin = administratorOf(service);
  const users = `/api/admin/v1/apps/${channel.tenant.appId}/users`;
  const query = { reference: waiting.session_key };
  const { body: found } = await admin.get<{ data: { userId: string }[] }>(users, { query });
  const path = `${users}/${found.data[0]!.userId}/erasure`;
  expect((await admin.post(path)).outcome).toBe('201');
  const { body: erasure } = await eventually(
    () => admin.get<{ data: { state: string; erased: object } }>(path),
    ({ body: { data } }) => data.state === 'done',
  );
  expect(erasure.data.erased).toMatchObject({ sessions: 1, toolRuns: 1, messages: 2 });

  expect((await resume(officeRequest!.body as unknown as OfficeRequest)).status).toBe(401);
  expect((await replyTo(receiver, waiting)).body).toMatchObject({ outcome: { status: 'failed' } });
  const database = new TestDatabase(settings.DATABASE_URL!);
  await eventually(
    () => database.dump(),
    (dump) => !dump.includes('Vy77'),
  );
  await database.end();
});
