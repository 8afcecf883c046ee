import { newId } from '../../src/kernel/ids.js';
import { administratorOf, makeApp, makeProject, makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { DAY, atTime } from '../support/clock.js';
import { Receiver, verify } from '../support/receiver.js';
import { startService } from '../support/service.js';
import {
  ADMIN,
  change,
  create,
  type Data,
  hasEnded,
  pathOf,
  read,
  sendTest,
  subscribe,
  type SubscriptionBody,
  untilDelivery,
} from './subscribe.js';

const service = await startService();
const receiver = await Receiver.start();
const tenant = await makeTenant(service);
const admin = administratorOf(service);
const GOOD = 'https://crm.example.com/slipway?for=us';
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const rotate = (subscriptionId: string, body?: object): Promise<Data<SubscriptionBody>> =>
  admin.post(`${pathOf(subscriptionId)}/rotate-secret`, body);

it('a subscription is created with a secret that is shown only once', async () => {
  const made = await create(service, tenant, {
    displayName: 'CRM',
    callbackUrl: GOOD,
    events: ['agent.status', 'agent.response'],
  });
  expect(made.status).toBe(201);
  const { secret, ...rest } = made.body.data;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(rest).toMatchObject({
    projectId: tenant.projectId,
    appId: tenant.appId,
    environment: 'production',
    displayName: 'CRM',
    callbackUrl: GOOD,
    events: ['agent.status', 'agent.response'],
    status: 'ACTIVE',
    disabledReason: null,
    failingSince: null,
  });
  expect(await read(service, rest.subscriptionId)).toEqual(rest);
  const list = await admin.get<{ data: object[] }>(`${ADMIN}/projects/${tenant.projectId}/webhook-subscriptions`);
  expect(list.body.data).toContainEqual(rest);
  expect(await service.database.dump()).not.toContain(secret);
});

it.each([
  ['no event', { events: [] }, 'events'],
  ['an event twice', { events: ['agent.media', 'agent.media'] }, 'events'],
  ['an unknown event', { events: ['agent.thought'] }, 'events.0'],
  ['no name', { displayName: '' }, 'displayName'],
  ['an unknown environment', { environment: 'test' }, 'environment'],
  ['no address', { callbackUrl: undefined }, 'callbackUrl'],
  ['an unknown member', { retries: 3 }, 'retries'],
])('a subscription is not created with %s', async (_, members, path) => {
  expect(await create(service, tenant, { callbackUrl: GOOD, ...members })).toMatchObject(faultsAt(path));
});

describe('a callback URL', () => {
  it.each([
    'http://crm.example.com/',
    'https://user:password@crm.example.com/',
    'https://user@crm.example.com/',
    'ftp://crm.example.com/',
    'javascript:alert(1)',
    'crm.example.com',
    'https://',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://0x0a000001/',
    'https://169.254.169.254/latest/meta-data',
    'https://0/',
    'http://8.8.8.8/',
    'https://crm.example.com/ x',
  ])('is not %s', async (callbackUrl) => {
    const refused = await create(service, tenant, { callbackUrl });
    expect(refused.outcome).toBe('400 INVALID_CALLBACK_URL');
    expect(refused.body).toMatchObject({ error: { details: { issues: [{ path: 'callbackUrl' }] } } });
    const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: GOOD });
    expect((await change(service, subscriptionId, { callbackUrl })).outcome).toBe('400 INVALID_CALLBACK_URL');
    expect(await read(service, subscriptionId)).toMatchObject({ callbackUrl: GOOD });
  });

  // Tests open 127.0.0.0/8 with OUTBOUND_ALLOW_CIDRS.
  it.each([
    'https://crm.example.com',
    'https://8.8.8.8:8443/x',
    'http://127.0.0.1:3001/',
    'http://localhost:3001/',
    'http://127.1/',
  ])('may be %s', async (callbackUrl) => {
    expect((await create(service, tenant, { callbackUrl })).outcome).toBe('201');
  });

  it('is also checked at every attempt', async () => {
    const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: GOOD });
    // The row is changed as if the name had come to lead elsewhere.
    await service.database.rows(`update webhook_subscription set callback_url = 'https://10.0.0.1/' where id = $1`, [
      subscriptionId,
    ]);
    const deliveryId = await sendTest(service, subscriptionId);
    const tried = await untilDelivery(service, deliveryId, ({ attemptCount }) => attemptCount > 0);
    expect(tried.lastError).toBe('The address is in a network that is closed to requests');
  });
});

it('a subscription needs an app if the project has several or none, and refuses apps of others', async () => {
  const projectId = await makeProject(service);
  expect(await create(service, { projectId }, { callbackUrl: GOOD })).toMatchObject(faultsAt('appId'));
  const appId = await makeApp(service, projectId);
  expect((await create(service, { projectId }, { callbackUrl: GOOD })).body.data.appId).toBe(appId);
  const second = await makeApp(service, projectId);
  expect(await create(service, { projectId }, { callbackUrl: GOOD })).toMatchObject(faultsAt('appId'));
  expect((await create(service, { projectId }, { callbackUrl: GOOD, appId: second })).body.data.appId).toBe(second);
  for (const other of [tenant.appId, newId('app'), 'nonsense']) {
    const answer = await create(service, { projectId }, { callbackUrl: GOOD, appId: other });
    expect(answer.outcome).toBe('404 APP_NOT_FOUND');
  }
});

it('a change of a subscription changes only the given members', async () => {
  const { secret: _, ...before } = await subscribe(service, tenant, { callbackUrl: GOOD });
  const changes = {
    displayName: 'Other',
    events: ['agent.media'],
    environment: 'STAGING',
    callbackUrl: 'https://8.8.8.8/',
  };
  const { body } = await change(service, before.subscriptionId, changes);
  const changed = { ...before, ...changes, environment: 'staging', modifiedAt: expect.any(String) as string };
  expect(body.data).toEqual(changed);
  expect(await change(service, before.subscriptionId, { status: 'DISABLED' })).toMatchObject({
    body: { data: { status: 'DISABLED', disabledReason: 'An administrator disabled it', events: ['agent.media'] } },
  });
  const answer = await admin.post(`${pathOf(before.subscriptionId)}/test`);
  expect(answer.outcome).toBe('409 SUBSCRIPTION_DISABLED');
  expect((await admin.post(`${pathOf(before.subscriptionId)}/replay-failed`)).outcome).toBe(
    '409 SUBSCRIPTION_DISABLED',
  );
});

it('a subscription keeps its app from being deleted until it is deleted itself', async () => {
  const projectId = await makeProject(service);
  const appId = await makeApp(service, projectId);
  const { subscriptionId } = await subscribe(service, { projectId }, { callbackUrl: GOOD });
  expect((await admin.delete(`${ADMIN}/apps/${appId}`)).outcome).toBe('409 APP_NOT_EMPTY');
  expect((await admin.delete(pathOf(subscriptionId))).status).toBe(200);
  expect((await admin.get(pathOf(subscriptionId))).outcome).toBe('404 SUBSCRIPTION_NOT_FOUND');
  expect((await admin.delete(`${ADMIN}/apps/${appId}`)).outcome).toBe('200');
});

it('callbacks are signed with both secrets during the overlap, and without an overlap with the new one alone', async () => {
  const { subscriptionId, secret: old } = await subscribe(service, tenant, { callbackUrl: receiver.url('rotated') });
  const { body } = await rotate(subscriptionId, { overlapSeconds: 3600 });
  const { secret: fresh, previousSecretUntil } = body.data;
  expect(fresh).toMatch(/^whsec_/);
  expect(fresh).not.toBe(old);
  expect(new Date(previousSecretUntil!).getTime()).toBeGreaterThan(Date.now() + 3_500_000);
  await untilDelivery(service, await sendTest(service, subscriptionId), hasEnded);
  const [both] = receiver.at('rotated');
  verify(both!, old);
  verify(both!, fresh!);
  expect(both!.headers['webhook-signature']!.split(' ')).toHaveLength(2);

  const { body: atOnce } = await rotate(subscriptionId, { overlapSeconds: 0 });
  expect(atOnce.data.previousSecretUntil).toBeNull();
  await untilDelivery(service, await sendTest(service, subscriptionId), hasEnded);
  const one = receiver.at('rotated')[1]!;
  verify(one, atOnce.data.secret!);
  expect(() => verify(one, fresh!)).toThrow('No matching signature found');
});

it('callbacks are signed with the new secret alone when the overlap is over', async () => {
  const { subscriptionId, secret: old } = await subscribe(service, tenant, { callbackUrl: receiver.url('later') });
  const { body } = await atTime(Date.now() - 2 * DAY, () => rotate(subscriptionId));
  await untilDelivery(service, await sendTest(service, subscriptionId), hasEnded);
  const [callback] = receiver.at('later');
  verify(callback!, body.data.secret!);
  expect(() => verify(callback!, old)).toThrow('No matching signature found');
});

it('a delivery fails if the secret cannot be read, and succeeds after the secret is rotated', async () => {
  const { subscriptionId } = await subscribe(service, tenant, { callbackUrl: receiver.url('unreadable') });
  await service.database.rows(`update webhook_subscription set secret_sealed = 'v1.9.AAAA.AAAA' where id = $1`, [
    subscriptionId,
  ]);
  const deliveryId = await sendTest(service, subscriptionId);
  const tried = await untilDelivery(service, deliveryId, ({ attemptCount }) => attemptCount === 1);
  expect(tried.lastError).toBe('The secret of the subscription cannot be read any more. Rotate it');
  expect(tried.attempts[0]!.request).toBeNull();
  const { body } = await rotate(subscriptionId);
  await untilDelivery(service, deliveryId, hasEnded, 20_000);
  verify(receiver.at('unreadable')[0]!, body.data.secret!);
});

it('a test callback of each event is sent', async () => {
  const { subscriptionId, secret } = await subscribe(service, tenant, { callbackUrl: receiver.url('tests') });
  for (const event of ['agent.response', 'agent.status', 'agent.media']) {
    const sent = await untilDelivery(service, await sendTest(service, subscriptionId, { event }), hasEnded);
    expect(sent).toMatchObject({ event, status: 'DELIVERED', relatedMessageId: null });
    const callback = receiver.at('tests').find((one) => one.event === event);
    expect(verify(callback!, secret)).toMatchObject({ message_id: sent.messageId, metadata: { test: true } });
  }
});

it('the AsyncAPI 3 document has the three events', async () => {
  const { body } = await administratorOf(service).get<{ asyncapi: string; operations: object }>('/asyncapi.json');
  expect(body.asyncapi).toBe('3.0.0');
  expect(Object.keys(body.operations)).toEqual(['sendAgentResponse', 'sendAgentStatus', 'sendAgentMedia']);
});
