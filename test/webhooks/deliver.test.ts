import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { Receiver, verify } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { change, deliveries, hasEnded, pathOf, read, sendTest, subscribe, untilDelivery } from './subscribe.js';

const service = await startService({ WEBHOOK_SCHEDULE: '0,0,1' });
const receiver = await Receiver.start();
const tenant = await makeTenant(service);
afterAll(async () => {
  // The callbacks that hang end with their connections, so that the service does not wait for them.
  await receiver.stop();
  await service.stop();
});

const subscribed = (behaviour: string) => subscribe(service, tenant, { callbackUrl: receiver.url(behaviour) });

async function delivered(behaviour: string) {
  const { subscriptionId, secret } = await subscribed(behaviour);
  const deliveryId = await sendTest(service, subscriptionId);
  const done = await untilDelivery(service, deliveryId, hasEnded, 25_000);
  return { subscriptionId, secret, done };
}

/** Two receivers hang from the beginning, and all tests run beside them, at the same time. */
const [silent] = await Promise.all([hangOn('silent'), hangOn('silent/too')]);

async function hangOn(behaviour: string) {
  const { subscriptionId } = await subscribed(behaviour);
  await Promise.all(Array.from({ length: 10 }, () => sendTest(service, subscriptionId)));
  await eventually(() => receiver.at(behaviour).length === 2);
  return { subscriptionId };
}

it.concurrent('callbacks to a receiver do not wait for other receivers that hang', async () => {
  const startedAt = performance.now();
  const { subscriptionId, done } = await delivered('beside-the-silent');
  expect(done).toMatchObject({ status: 'DELIVERED', attemptCount: 1 });
  // The callback did not wait for the fifteen seconds that the hanging receivers are given.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  // A receiver that has accepted a callback may have more of them under way. A new address has to accept one first.
  const isProved = () =>
    service.database.rows(`select proved_at is not null as proved from webhook_subscription where id = $1`, [
      subscriptionId,
    ]);
  expect(await isProved()).toEqual([{ proved: true }]);
  await change(service, subscriptionId, { callbackUrl: receiver.url('moved-house') });
  expect(await isProved()).toEqual([{ proved: false }]);
});

it.concurrent('eight callbacks may be under way to a receiver that has accepted one', async () => {
  const { subscriptionId } = await delivered('moody');
  receiver.mood = () => 'silent';
  await Promise.all(Array.from({ length: 10 }, () => sendTest(service, subscriptionId)));
  await eventually(() => receiver.at('moody').length === 1 + 8);
  await change(service, subscriptionId, { status: 'DISABLED' });
});

it.concurrent('a callback is signed as Standard Webhooks requires, and the official library verifies it', async () => {
  const { secret, done } = await delivered('signed');
  const [callback] = receiver.at('signed');
  expect(done).toMatchObject({ status: 'DELIVERED', attemptCount: 1, lastError: null, nextAttemptAt: null });
  expect(done.attempts).toMatchObject([{ number: 1, status: 200, error: null, answer: 'thanks' }]);
  expect(verify(callback!, secret)).toEqual(callback!.body);
  expect(callback!.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': done.messageId,
    'webhook-event': 'agent.response',
    'user-agent': 'Slipway-Webhooks/1.0',
  });
  // The attempt shows what was sent, but for the signature.
  const { url, headers } = done.attempts[0]!.request!;
  expect(url).toBe(receiver.url('signed'));
  const signature = callback!.headers['webhook-signature']!;
  expect(callback!.headers).toMatchObject({ ...headers, 'webhook-signature': signature });
  expect(headers['webhook-signature']).toBe('v1,…');
  expect(callback!.body).toMatchObject({ message_id: done.messageId, metadata: { test: true } });
  expect(done.body).toBe(callback!.raw);
});

it.concurrent('a callback is not verified with another secret', async () => {
  await delivered('other-secret');
  const { secret } = await subscribed('nowhere');
  expect(() => verify(receiver.at('other-secret')[0]!, secret)).toThrow('No matching signature found');
});

it.concurrent(
  'a failed delivery is tried again by the schedule, with the same bytes and id, and a new signature',
  async () => {
    const { secret, done } = await delivered('flaky');
    const callbacks = receiver.at('flaky');
    expect(done).toMatchObject({ status: 'DELIVERED', attemptCount: 3 });
    expect(done.attempts.map(({ status, error }) => [status, error])).toEqual([
      [503, 'The receiver answered 503'],
      [503, 'The receiver answered 503'],
      [200, null],
    ]);
    expect(new Set(callbacks.map(({ raw }) => raw)).size).toBe(1);
    expect(new Set(callbacks.map(({ messageId }) => messageId)).size).toBe(1);
    for (const callback of callbacks) verify(callback, secret);
    const [, second, third] = done.attempts.map(({ at }) => new Date(at).getTime());
    expect(third! - second!).toBeGreaterThanOrEqual(890);
  },
);

it.concurrent('a delivery fails after its last attempt, and has the reason', async () => {
  const { subscriptionId, done } = await delivered('failing');
  expect(done).toMatchObject({ status: 'FAILED', attemptCount: 3, lastError: 'The receiver answered 500' });
  expect(done.attempts.at(-1)).toMatchObject({ number: 3, status: 500, answer: 'oops' });
  expect(done.endedAt).not.toBeNull();
  const subscription = await read(service, subscriptionId);
  expect(subscription).toMatchObject({ status: 'ACTIVE' });
  expect(subscription.failingSince).not.toBeNull();
});

it.concurrent('a redirect is not followed', async () => {
  const { done } = await delivered('moved');
  expect(done).toMatchObject({
    status: 'FAILED',
    lastError: 'The receiver answered 301, and redirects are not followed',
  });
  expect(receiver.at('elsewhere')).toEqual([]);
});

it.concurrent('the next attempt waits as long as the receiver asks with Retry-After', async () => {
  const { done } = await delivered('busy');
  expect(done).toMatchObject({ status: 'DELIVERED', attemptCount: 2 });
  const [first, second] = done.attempts.map(({ at }) => new Date(at).getTime());
  expect(second! - first!).toBeGreaterThanOrEqual(2_000);
});

it.concurrent('the subscription of a receiver that answers 410 is disabled, which the audit shows', async () => {
  const { subscriptionId, done } = await delivered('gone');
  expect(done).toMatchObject({ status: 'FAILED', attemptCount: 1, lastError: 'The receiver answered 410' });
  const subscription = await read(service, subscriptionId);
  expect(subscription).toMatchObject({ status: 'DISABLED', disabledReason: 'The receiver answered 410 Gone' });
  expect(subscription.disabledAt).not.toBeNull();
  const { body } = await administratorOf(service).get<{ data: object[] }>('/api/admin/v1/audit', {
    query: { targetId: subscriptionId },
  });
  expect(body.data).toContainEqual(
    expect.objectContaining({
      actor: expect.objectContaining({ kind: 'system' }) as object,
      after: expect.objectContaining({ status: 'DISABLED' }) as object,
    }),
  );
});

it.concurrent('a subscription is disabled when every attempt has failed for five days', async () => {
  const { subscriptionId } = await delivered('failing/for-days');
  expect(await read(service, subscriptionId)).toMatchObject({ status: 'ACTIVE' });
  await service.database.rows(
    `update webhook_subscription set failing_since = now() - interval '5 days', paused_until = null where id = $1`,
    [subscriptionId],
  );
  const deliveryId = await sendTest(service, subscriptionId);
  expect(await untilDelivery(service, deliveryId, hasEnded)).toMatchObject({ status: 'FAILED', attemptCount: 1 });
  expect(await read(service, subscriptionId)).toMatchObject({
    status: 'DISABLED',
    disabledReason: 'Every attempt failed for five days',
  });
  await change(service, subscriptionId, { status: 'ACTIVE', callbackUrl: receiver.url('back') });
  expect(await read(service, subscriptionId)).toMatchObject({
    status: 'ACTIVE',
    failingSince: null,
    disabledReason: null,
  });
  const again = await sendTest(service, subscriptionId);
  expect(await untilDelivery(service, again, hasEnded)).toMatchObject({ status: 'DELIVERED' });
});

it.concurrent('an answer of 2xx is a success, whatever happens to its body', async () => {
  for (const behaviour of ['endless', 'cut-off', 'slow']) {
    const { done } = await delivered(behaviour);
    expect({ behaviour, ...done }).toMatchObject({ behaviour, status: 'DELIVERED', attemptCount: 1 });
    expect(done.attempts[0]!.answer!.length).toBeLessThanOrEqual(1_024);
  }
});

it.concurrent('an attempt whose connection was cut has no status', async () => {
  const { done } = await delivered('hangup');
  expect(done).toMatchObject({ status: 'FAILED', attemptCount: 3 });
  expect(done.attempts[0]).toMatchObject({
    status: null,
    error: expect.stringContaining('could not be reached') as string,
  });
});

it.concurrent('a receiver has fifteen seconds to answer', async () => {
  const { subscriptionId } = silent;
  // Two of the ten are under way, as to any receiver that has not accepted one. All tests above ran meanwhile.
  const underWay = receiver.at('silent');
  expect(underWay.length).toBeGreaterThanOrEqual(2);
  const all = await deliveries(service, subscriptionId);
  const { deliveryId } = all.find(({ messageId }) => messageId === underWay[0]!.messageId)!;
  const late = await untilDelivery(service, deliveryId, ({ attemptCount }) => attemptCount >= 1, 20_000);
  expect(late.attempts[0]).toMatchObject({ status: null, error: 'The server did not answer in time' });
  expect(late.attempts[0]!.latencyMs).toBeGreaterThan(14_900);
  expect(late.attempts[0]!.latencyMs).toBeLessThan(17_000);
  await eventually(async () => (await read(service, subscriptionId)).failingSince !== null);
  await change(service, subscriptionId, { status: 'DISABLED' });
});

it.concurrent('a receiver that fails many times is paused, and gets all callbacks when it is back', async () => {
  const { subscriptionId } = await subscribed('failing/pause');
  const first = await sendTest(service, subscriptionId);
  const second = await sendTest(service, subscriptionId);
  await untilDelivery(service, first, hasEnded, 25_000);
  await untilDelivery(service, second, hasEnded, 25_000);
  // The pause may be over by now, and the API no longer shows it then.
  const pause = 'select paused_until as "pausedUntil" from webhook_subscription where id = $1';
  expect(await service.database.rows(pause, [subscriptionId])).toEqual([{ pausedUntil: expect.any(Date) as Date }]);
  await change(service, subscriptionId, { callbackUrl: receiver.url('recovered') });
  const many = await Promise.all(Array.from({ length: 20 }, () => sendTest(service, subscriptionId)));
  for (const deliveryId of many) {
    expect(await untilDelivery(service, deliveryId, hasEnded, 20_000)).toMatchObject({ status: 'DELIVERED' });
  }
  expect(await read(service, subscriptionId)).toMatchObject({ pausedUntil: null, failingSince: null });
});

it.concurrent('pending deliveries fail when their subscription is disabled or deleted', async () => {
  const { subscriptionId } = await subscribed('busy/then-disabled');
  const waiting = await sendTest(service, subscriptionId);
  await untilDelivery(service, waiting, ({ attemptCount }) => attemptCount === 1);
  await change(service, subscriptionId, { status: 'DISABLED' });
  expect(await untilDelivery(service, waiting, hasEnded)).toMatchObject({
    status: 'FAILED',
    attemptCount: 1,
    lastError: 'The subscription is disabled',
  });
  const other = await subscribed('busy/then-deleted');
  const lost = await sendTest(service, other.subscriptionId);
  await untilDelivery(service, lost, ({ attemptCount }) => attemptCount === 1);
  await administratorOf(service).delete(pathOf(other.subscriptionId));
  expect(await untilDelivery(service, lost, hasEnded)).toMatchObject({
    status: 'FAILED',
    lastError: 'The subscription was deleted',
  });
});

it.concurrent('failed deliveries are listed and replayed: one, or all since a time', async () => {
  const { subscriptionId } = await subscribed('failing/replay');
  const one = await sendTest(service, subscriptionId);
  await untilDelivery(service, one, hasEnded, 25_000);
  const two = await sendTest(service, subscriptionId);
  await untilDelivery(service, two, hasEnded, 25_000);
  expect((await deliveries(service, subscriptionId, { status: 'FAILED' })).map(({ deliveryId }) => deliveryId)).toEqual(
    [two, one],
  );
  expect(await deliveries(service, subscriptionId, { status: 'DELIVERED' })).toEqual([]);
  await change(service, subscriptionId, { callbackUrl: receiver.url('replayed') });

  const admin = administratorOf(service);
  const replay = await admin.post(`/api/admin/v1/deliveries/${one}/replay`);
  expect(replay.status).toBe(200);
  const replayed = await untilDelivery(service, one, hasEnded, 15_000);
  expect(replayed).toMatchObject({ status: 'DELIVERED', attemptCount: 4 });
  expect(replayed.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(receiver.at('replayed')[0]!.raw).toBe(receiver.at('failing/replay')[0]!.raw);

  const all = await admin.post<{ data: object }>(`${pathOf(subscriptionId)}/replay-failed`, {
    since: '2026-01-01T00:00:00Z',
  });
  expect(all.body.data).toEqual({ subscriptionId, deliveries: 1 });
  await untilDelivery(service, two, ({ status }) => status === 'DELIVERED');
});
