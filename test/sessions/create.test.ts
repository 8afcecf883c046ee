import { newId } from '../../src/kernel/ids.js';
import { makeActiveAgent } from '../agents/make.js';
import { makeKeyWith, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { create, ident, makeSession, ref, sessionsPath, terminate, user } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

it('creates a session with a welcome, though no agent is active', async () => {
  const { outcome, body } = await create(tenant, [ref('order-1'), user('customer-1')], { source: 'AIW' });
  expect(outcome).toBe('201');
  expect(body).toEqual({
    session: {
      sessionId: expect.stringMatching(/^s-/) as string,
      sessionReference: 'order-1',
      userReference: 'customer-1',
      userId: expect.stringMatching(/^u-/) as string,
      status: 'started',
      createdAt: expect.any(String) as string,
      source: 'AIW',
      runId: expect.stringMatching(/^r-/) as string,
      appId: tenant.appId,
      attachments: [],
    },
    events: [
      {
        name: 'Welcome_Event',
        type: 'Welcome_Event',
        content: { messageToUser: 'Hello! How can I help you?' },
        params: { reason: 'session_created' },
      },
    ],
    output: [{ type: 'text', content: 'Hello! How can I help you?' }],
    allowedMimeTypes: expect.arrayContaining(['pdf', 'mle', 'webp']) as string[],
    fileUploadConfig: { maxFileCount: 10, maxFileSize: 25, maxTokens: 100_000, isAttachmentsEnabled: true },
  });
});

it('welcomes with the words of the agent that is active in the environment', async () => {
  const own = await makeTenant(service);
  await makeActiveAgent(service, own, { welcomeMessage: 'Moin!' }, 'staging');
  const { body } = await create(own, [user('a')], {}, 'STAGING');
  expect(body.output).toEqual([{ type: 'text', content: 'Moin!' }]);
  expect((await create(own, [user('a')])).body.output).toEqual([
    { type: 'text', content: 'Hello! How can I help you?' },
  ]);
});

it('finds a live session by its reference, then without welcome', async () => {
  const { sessionId } = await makeSession(tenant, [ref('order-2')]);
  const { outcome, body } = await create(tenant, [ref('order-2')]);
  expect(outcome).toBe('200');
  expect(body).toMatchObject({
    session: { sessionId, userReference: 'order-2', source: 'AP' },
    events: [],
    output: [],
  });
});

it('creates one session for fifty requests at the same moment', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(tenant, [ref('crowd'), user('one')])));
  expect(new Set(answers.map(({ body }) => body.session.sessionId)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const rows = await service.database.rows(`select from session where reference = 'crowd'`);
  expect(rows).toHaveLength(1);
});

it('keeps references of environments and apps apart', async () => {
  const here = await makeSession(tenant, [ref('apart')]);
  const there = await makeSession(tenant, [ref('apart')], {}, 'development');
  const elsewhere = await makeSession(await makeTenant(service), [ref('apart')]);
  expect(new Set([here.sessionId, there.sessionId, elsewhere.sessionId]).size).toBe(3);
});

it('creates another session each time if only a user is named, and recognizes the user', async () => {
  const first = await makeSession(tenant, [user('regular')]);
  const second = await makeSession(tenant, [user('regular')]);
  expect(second.sessionId).not.toBe(first.sessionId);
  expect(second.userId).toBe(first.userId);
  expect(second.sessionReference).toBeNull();
});

it('finds a session by its id under both names, before anything else', async () => {
  const { sessionId } = await makeSession(tenant, [ref('by-id'), user('x')]);
  for (const type of ['sessionIdentity', 'sessionId']) {
    const { outcome, body } = await create(tenant, [user('x'), { type, value: sessionId }]);
    expect([outcome, body.session.sessionId]).toEqual(['200', sessionId]);
  }
});

it('tries the next identifier if one has no match', async () => {
  const unknown = newId('session');
  expect((await create(tenant, [ident(unknown)])).outcome).toBe('404 SESSION_NOT_FOUND');
  expect((await create(tenant, [ident(unknown), ref('fallen')])).outcome).toBe('201');
  expect((await create(tenant, [ident('no id at all'), ref('fallen')])).outcome).toBe('200');
  expect((await create(tenant, [ident(unknown), user('fallen')])).outcome).toBe('201');
});

it('does not find the id of another environment or app', async () => {
  const { sessionId } = await makeSession(tenant, [user('x')], {}, 'development');
  expect((await create(tenant, [ident(sessionId)])).outcome).toBe('404 SESSION_NOT_FOUND');
  const stranger = await makeTenant(service);
  expect((await create(stranger, [ident(sessionId)], {}, 'development')).outcome).toBe('404 SESSION_NOT_FOUND');
});

it('refuses identifiers of different sessions, and of another owner', async () => {
  const { sessionId } = await makeSession(tenant, [ref('mine'), user('me')]);
  await makeSession(tenant, [ref('other')]);
  expect((await create(tenant, [ident(sessionId), ref('other')])).outcome).toBe('409 SESSION_IDENTITY_CONFLICT');
  expect((await create(tenant, [ident(sessionId), ref('new')])).outcome).toBe('409 SESSION_IDENTITY_CONFLICT');
  expect((await create(tenant, [ref('mine'), user('you')])).outcome).toBe('403 SESSION_OWNER_MISMATCH');
  expect((await create(tenant, [ident(sessionId), ref('mine'), user('me')])).outcome).toBe('200');
});

it('refuses the id of an ended session, and creates a new session for its reference', async () => {
  const { sessionId } = await makeSession(tenant, [ref('ended')]);
  expect((await terminate(tenant, [ref('ended')])).outcome).toBe('200');
  expect((await create(tenant, [ident(sessionId)])).outcome).toBe('409 SESSION_TERMINATED');
  expect((await create(tenant, [ident(sessionId), ref('ended')])).outcome).toBe('409 SESSION_TERMINATED');
  const { outcome, body } = await create(tenant, [ref('ended')]);
  expect(outcome).toBe('201');
  expect(body.session.sessionId).not.toBe(sessionId);
});

it.each([
  [undefined, 'sessionIdentity'],
  [[], 'sessionIdentity'],
  [[{ type: 'name', value: 'x' }], 'sessionIdentity.0.type'],
  [[{ type: 'userReference' }], 'sessionIdentity.0.value'],
  [[{ type: 'userReference', value: '' }], 'sessionIdentity.0.value'],
  [[{ type: 'userReference', value: 'x'.repeat(513) }], 'sessionIdentity.0.value'],
  [[{ type: 'userReference', value: 'a\nb' }], 'sessionIdentity.0.value'],
  [[ref('a'), ref('b')], 'sessionIdentity.1.type'],
  [[ident('a'), { type: 'sessionId', value: 'b' }], 'sessionIdentity.1.type'],
])('refuses the identity %j', async (identity, path) => {
  expect(await create(tenant, identity)).toMatchObject(faultsAt(path));
});

it('refuses a source that is too long, and an environment that no app has', async () => {
  expect(await create(tenant, [user('x')], { source: 'x'.repeat(65) })).toMatchObject(faultsAt('source'));
  expect((await create(tenant, [user('x')], {}, 'elsewhere')).outcome).toBe('404 ENVIRONMENT_NOT_FOUND');
});

it('answers a repeat with the same Idempotency-Key as the first time', async () => {
  const headers = { 'idempotency-key': 'create-once' };
  const body = { sessionIdentity: [user('twice')] };
  const first = await tenant.api.post(sessionsPath(tenant), body, { headers });
  const again = await tenant.api.post(sessionsPath(tenant), body, { headers });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
});

it('accepts the key in the header apikey too', async () => {
  const { key } = await makeKeyWith(service, tenant, ['SESSION_CREATION']);
  const response = await fetch(service.url + sessionsPath(tenant), {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json' },
    body: JSON.stringify({ sessionIdentity: [user('x')] }),
  });
  expect(response.status).toBe(201);
});
