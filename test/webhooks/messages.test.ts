import addFormats from 'ajv-formats';
import { Ajv } from 'ajv';
import { newId } from '../../src/kernel/ids.js';
import { makeActiveAgent } from '../agents/make.js';
import { administratorOf, makeApp, makeKeyWith, makeTenant } from '../support/actors.js';
import { Client, faultsAt } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { Receiver, verify } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { about, accepted, bodyFor, follow, MESSAGE, openChannel, replyTo, send, untilFollowed } from './channel.js';
import { ADMIN, change, create, subscribe } from './subscribe.js';

interface AsyncApi {
  components: { messages: Record<string, { name: string; payload: object }>; schemas: object };
}

const service = await startService({ WEBHOOK_SCHEDULE: '0,0' });
const receiver = await Receiver.start();
const channel = await openChannel(service, {
  callbackUrl: receiver.url(),
  events: ['agent.response', 'agent.status', 'agent.media'],
});
const { tenant, subscription } = channel;
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const canonical = (key: string, of = subscription.subscriptionId) => `http_async:${tenant.projectId}:${of}:${key}`;

it('a message is acknowledged, and its reply is sent as a signed callback', async () => {
  const { status, body } = await send(channel, { session_key: 'first', metadata: { ticket: 1 } });
  expect(status).toBe(202);
  expect(body).toEqual({
    message_id: expect.stringMatching(/^msg-/) as string,
    session_key: canonical('first'),
    status: 'accepted',
    _note: expect.any(String) as string,
  });
  const reply = await replyTo(receiver, body);
  expect(verify(reply, subscription.secret)).toEqual(reply.body);
  expect(reply.event).toBe('agent.response');
  const { response, session_id: sessionId } = reply.body;
  expect(response).toContain('Hello there');
  expect(reply.body).toEqual({
    message_id: body.message_id,
    session_key: canonical('first'),
    response,
    channel_output: { kind: 'text', text: response },
    outcome: { status: 'ok', usedFallback: false },
    trace_context: { session_id: sessionId, delivery: 'correlation_only' },
    session_id: sessionId,
    is_new_session: true,
    response_metadata: {
      isLlmGenerated: true,
      responseProvenance: { schemaVersion: 1, kind: 'llm', disclaimerRequired: true, usedLlmInternally: true },
    },
    metadata: { ticket: 1 },
  });
  expect(Object.keys(reply.body)).not.toEqual(expect.arrayContaining(['intent', 'conv_status']));
});

it('a session continues with the canonical key, and with the client’s own', async () => {
  const first = await accepted(channel, { session_key: 'again' });
  const { body: one } = await replyTo(receiver, first);
  const second = await accepted(channel, { session_key: first.session_key });
  const third = await accepted(channel, { session_key: 'again' });
  for (const message of [second, third]) {
    expect(message.session_key).toBe(first.session_key);
    const { body } = await replyTo(receiver, message);
    expect(body).toMatchObject({ session_id: one.session_id, is_new_session: false });
  }
});

it('a callback has no metadata if none were sent', async () => {
  const { body } = await replyTo(receiver, await accepted(channel));
  expect(body).not.toHaveProperty('metadata');
});

it.each([
  ['odd numbers', '{"a":1.0,"b":1e3,"c":12345678901234567890,"d":-0}'],
  ['their order, blanks and lines', '{ "z" : 1,\n\t"a":[ 1 , 2 ],"10":0,"9":0 }'],
  ['repeated members', '{"a":1,"a":2}'],
  ['escapes', String.raw`{"a":"\u0041\/\ud83d\ude00 }\"{","metadata":{"metadata":"\\"}}`],
  ['the member __proto__', '{"__proto__":{"x":1},"constructor":2}'],
  ['no members', '{}'],
  ['depth', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`],
])('metadata are returned byte for byte: %s', async (_, metadata) => {
  const head = JSON.stringify(bodyFor(channel)).slice(0, -1);
  for (const rawBody of [`${head},"metadata":${metadata}}`, `${head.replace('{', `{ "metadata" : ${metadata} ,`)}}`]) {
    const answer = await tenant.api.post<{ message_id: string }>(MESSAGE, undefined, { rawBody });
    expect(answer.outcome).toBe('202');
    const { raw } = await eventually(
      () => receiver.callbacks.find(({ messageId }) => messageId === answer.body.message_id)!,
      Boolean,
    );
    expect(raw.endsWith(`,"metadata":${metadata}}`)).toBe(true);
  }
});

it('the last of two metadata counts, as in JSON', async () => {
  const head = JSON.stringify(bodyFor(channel)).slice(0, -1);
  const rawBody = `${head},"metadata":{"a":1},"metad\\u0061ta":{"b": 2}}`;
  const { body } = await tenant.api.post<{ message_id: string }>(MESSAGE, undefined, { rawBody });
  const { raw } = await eventually(
    () => receiver.callbacks.find(({ messageId }) => messageId === body.message_id)!,
    Boolean,
  );
  expect(raw.endsWith(',"metadata":{"b": 2}}')).toBe(true);
});

it('metadata may have nearly 1 MiB, and a larger body is refused', async () => {
  const metadata = { text: 'ä'.repeat(520_000) };
  const { raw, body } = await replyTo(receiver, await accepted(channel, { metadata }));
  expect(body.metadata).toEqual(metadata);
  expect(raw.endsWith(`"metadata":${JSON.stringify(metadata)}}`)).toBe(true);
  expect((await send(channel, { metadata: { text: 'ä'.repeat(530_000) } })).outcome).toBe('413 PAYLOAD_TOO_LARGE');
});

it('the status callbacks of a turn have their own ids and the metadata', async () => {
  const message = await accepted(channel, { metadata: { a: 1 } });
  await replyTo(receiver, message);
  const statusCallbacks = await eventually(
    () => about(receiver, message).filter(({ event }) => event === 'agent.status'),
    (statuses) => statuses.length === 2,
  );
  expect(statusCallbacks.map(({ body }) => body.status).sort()).toEqual(['completed', 'processing']);
  const ids = about(receiver, message).map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(3);
  for (const { body, raw, headers } of statusCallbacks) {
    verify({ raw, headers } as never, subscription.secret);
    expect(body).toEqual({
      event: 'agent.status',
      message_id: headers['webhook-id'],
      related_message_id: message.message_id,
      status: expect.any(String) as string,
      session_key: message.session_key,
      session_id: expect.stringMatching(/^s-/) as string,
      timestamp: expect.stringMatching(/Z$/) as string,
      metadata: { a: 1 },
    });
  }
});

it('a subscription gets only its events', async () => {
  const other = await subscribe(service, tenant, {
    callbackUrl: receiver.url('only-status'),
    events: ['agent.status'],
  });
  const message = await accepted({ ...channel, subscription: other });
  await untilFollowed(channel, message.message_id, ({ status }) => status === 'completed');
  await eventually(
    () => receiver.at('only-status'),
    ({ length }) => length === 2,
  );
  const { callbacks } = await untilFollowed(channel, message.message_id, (followed) =>
    followed.callbacks.every(({ status }) => status === 'DELIVERED'),
  );
  expect(callbacks.map(({ event }) => event)).toEqual(['agent.status', 'agent.status']);
});

it('the sender and administrators can read how far a message is', async () => {
  const message = await accepted(channel);
  const done = await untilFollowed(
    channel,
    message.message_id,
    ({ status, callbacks }) => status === 'completed' && callbacks.every((callback) => callback.status === 'DELIVERED'),
  );
  expect(done).toMatchObject({ message_id: message.message_id, session_key: message.session_key, error: null });
  expect(done.finished_at).not.toBeNull();
  expect(done.callbacks).toContainEqual(
    expect.objectContaining({ event: 'agent.response', message_id: message.message_id, attempts: 1 }),
  );
  const { body } = await administratorOf(service).get<{ data: { deliveries: { attempts: object[] }[] } }>(
    `${ADMIN}/messages/${message.message_id}`,
  );
  expect(body.data).toMatchObject({
    messageId: message.message_id,
    status: 'completed',
    sessionKey: message.session_key,
  });
  expect(body.data.deliveries.every(({ attempts }) => attempts.length === 1)).toBe(true);
});

it('the turns of one session end in the order in which their messages were accepted', async () => {
  const messages = [];
  for (let n = 0; n < 8; n += 1)
    messages.push(await accepted(channel, { session_key: 'in order', message: `Number ${n}` }));
  const ends = [];
  for (const message of messages) {
    ends.push((await untilFollowed(channel, message.message_id, ({ status }) => status === 'completed')).finished_at!);
  }
  expect(ends).toEqual(ends.toSorted());
});

it('sending a message needs HTTP_ASYNC_SEND, and nothing else', async () => {
  const { api } = await makeKeyWith(service, tenant, ['HTTP_ASYNC_SEND']);
  expect((await api.post(MESSAGE, bodyFor(channel))).outcome).toBe('202');
  expect((await api.get('/api/public/me')).outcome).toBe('403 PERMISSION_DENIED');
  const other = await makeKeyWith(service, tenant, ['RUN_API']);
  expect((await other.api.post(MESSAGE, bodyFor(channel))).outcome).toBe('403 PERMISSION_DENIED');
  expect((await new Client(service.url).post(MESSAGE, bodyFor(channel))).outcome).toBe('401 API_KEY_MISSING');
});

it('a message with an Idempotency-Key is accepted once', async () => {
  const body = bodyFor(channel, { session_key: 'once', metadata: { n: 1 } });
  const options = { headers: { 'idempotency-key': 'message-1' } };
  const first = await tenant.api.post<{ message_id: string }>(MESSAGE, body, options);
  const again = await tenant.api.post<{ message_id: string }>(MESSAGE, body, options);
  expect(again.status).toBe(202);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const changed = await tenant.api.post(MESSAGE, { ...body, message: 'Another' }, options);
  expect(changed.outcome).toBe('422 IDEMPOTENCY_KEY_REUSED');
  const rows = await service.database.rows('select from webhook_message where session_key = $1', [canonical('once')]);
  expect(rows).toHaveLength(1);
});

describe('a message', () => {
  it.each([
    ['an empty message', { message: '' }, 'message'],
    ['a message of 100,001 characters', { message: 'a'.repeat(100_001) }, 'message'],
    ['a message with NUL', { message: 'a\0b' }, 'message'],
    ['a message that is not a text', { message: 1 }, 'message'],
    ['no message', { message: undefined }, 'message'],
    ['an empty session key', { session_key: '' }, 'session_key'],
    ['a session key of 257 characters', { session_key: 'k'.repeat(257) }, 'session_key'],
    ['a session key with a control character', { session_key: 'a\u0007' }, 'session_key'],
    ['a session_id', { session_id: 's-1' }, 'session_id'],
    ['metadata that are a list', { metadata: [] }, 'metadata'],
    ['metadata that are null', { metadata: null }, 'metadata'],
    [
      'metadata 65 levels deep',
      { metadata: JSON.parse(`${'{"a":'.repeat(66)}1${'}'.repeat(66)}`) as object },
      'metadata.a.a',
    ],
    ['a project id that is not a text', { project_id: 7 }, 'project_id'],
    ['no subscription id', { subscription_id: undefined }, 'subscription_id'],
  ])('is refused with %s', async (_, more, path) => {
    expect(await send(channel, more)).toMatchObject(faultsAt(path));
  });

  it('may have the longest text and key, counted in characters', async () => {
    expect((await send(channel, { message: '😀'.repeat(100_000), session_key: '😀'.repeat(256) })).outcome).toBe('202');
  });

  it.each([
    ['of another project', () => `http_async:${newId('project')}:${subscription.subscriptionId}:k`],
    ['of another subscription', () => canonical('k', newId('subscription'))],
    ['cut off', () => `http_async:${tenant.projectId}:${subscription.subscriptionId}`],
    ['without the client’s part', () => canonical('')],
    ['with too long a client’s part', () => canonical('k'.repeat(257))],
    ['with a canonical key as the client’s part', () => canonical(canonical('k'))],
    ['made up', () => 'http_async:'],
  ])('is refused with a canonical key %s', async (_, key) => {
    expect((await send(channel, { session_key: key() })).outcome).toBe('400 INVALID_SESSION_KEY');
  });

  it('is refused for a subscription or a project of others', async () => {
    const stranger = await makeTenant(service);
    const theirs = await subscribe(service, stranger, { callbackUrl: receiver.url() });
    for (const id of [newId('subscription'), theirs.subscriptionId, 'nonsense']) {
      expect((await send(channel, { subscription_id: id })).outcome).toBe('404 SUBSCRIPTION_NOT_FOUND');
    }
    const answer = await send(channel, { project_id: stranger.projectId, subscription_id: theirs.subscriptionId });
    expect(answer.outcome).toBe('404 PROJECT_NOT_FOUND');
  });

  it('is refused while the subscription is disabled', async () => {
    const other = await subscribe(service, tenant, { callbackUrl: receiver.url() });
    await change(service, other.subscriptionId, { status: 'DISABLED' });
    expect((await send({ ...channel, subscription: other })).outcome).toBe('409 SUBSCRIPTION_DISABLED');
    await change(service, other.subscriptionId, { status: 'ACTIVE' });
    expect((await send({ ...channel, subscription: other })).outcome).toBe('202');
  });

  it('is refused while no agent is active in the environment of the subscription', async () => {
    const other = await subscribe(service, tenant, { callbackUrl: receiver.url(), environment: 'Staging' });
    const answer = await send({ ...channel, subscription: other }, { session_key: 'nobody' });
    expect(answer.outcome).toBe('409 NO_ACTIVE_DEPLOYMENT');
    const rows = await service.database.rows('select from webhook_message where subscription_id = $1', [
      other.subscriptionId,
    ]);
    expect(rows).toEqual([]);
  });
});

it('a turn runs in the app and environment of the subscription', async () => {
  const appId = await makeApp(service, tenant.projectId);
  await makeActiveAgent(service, { appId }, {}, 'working-copy');
  expect((await create(service, tenant, { callbackUrl: receiver.url() })).faults).toEqual(['appId']);
  const other = await subscribe(service, tenant, { callbackUrl: receiver.url(), appId, environment: 'working-copy' });
  const message = await accepted({ ...channel, subscription: other });
  await replyTo(receiver, message);
  const [run] = await service.database.rows(
    'select run.app_id, run.environment from webhook_message m join run on run.id = m.run_id where m.id = $1',
    [message.message_id],
  );
  expect(run).toEqual({ app_id: appId, environment: 'working-copy' });
});

it('all callbacks match the AsyncAPI document', async () => {
  const { body } = await new Client(service.url).get<AsyncApi>('/asyncapi.json');
  const ajv = addFormats.default(new Ajv({ strict: false }));
  const schemas = Object.values(body.components.messages).map(({ name, payload }) => {
    return [name, ajv.compile({ ...payload, components: body.components })] as const;
  });
  const validators = Object.fromEntries(schemas);
  const faulty = receiver.callbacks.filter(({ event, body: sent }) => !validators[event]!(sent));
  expect(faulty).toEqual([]);
  expect(new Set(receiver.callbacks.map(({ event }) => event))).toEqual(new Set(['agent.response', 'agent.status']));
});

it('a message is not shown to another project', async () => {
  const { message_id: id } = await accepted(channel);
  const stranger = await makeTenant(service);
  expect(await follow({ tenant: stranger }, id)).toMatchObject({ error: { code: 'MESSAGE_NOT_FOUND' } });
});
