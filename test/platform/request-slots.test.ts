import { newId } from '../../src/kernel/ids.js';
import { ask, COMPLETIONS, connectTo } from '../gateway/calls.js';
import { makeKey, makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { whilePoolIsFull } from '../support/faults.js';
import { readMetric } from '../support/metrics.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import type { OpenTransaction } from '../support/test-database.js';

/** One project gets half of the slots, and eight requests of it may wait for each slot. */
const SLOTS = 4;
const OF_ONE = SLOTS / 2;
const WAITING = 8 * SLOTS;

const service = await startService({ REQUEST_SLOTS: String(SLOTS) });
const double = await ModelDouble.start();
const noisy = await makeTenant(service);
const quiet = await makeTenant(service);
/** Nothing but requests reads the table of this path. */
const path = `/api/public/files/${newId('file')}`;
let lock: OpenTransaction;
afterAll(async () => {
  await service.stop();
  await double.stop();
});
afterEach(() => lock.commit());
beforeEach(async () => {
  lock = await service.database.openTransaction('lock table file in access exclusive mode');
});

/** These requests wait in their slots for the lock of the test. */
const askBlocked = (count: number, signal?: AbortSignal) =>
  Array.from({ length: count }, () =>
    fetch(service.url + path, { headers: { 'x-api-key': noisy.key }, signal: signal ?? null }),
  );
const waitingRequests = () => readMetric(service, 'slipway_http_requests_waiting');
const waitUntilWaiting = (count: number) => eventually(waitingRequests, (now) => now === count);
const waitUntilBlocked = () =>
  eventually(
    () => service.database.waiting(),
    ({ length }) => length === OF_ONE,
  );
const statuses = async (requests: Promise<Response>[]) => {
  const all = await Promise.all(requests);
  return all.map(({ status }) => status);
};

it('keeps slots for other projects, and answers all that wait when it is their turn', async () => {
  const requests = askBlocked(OF_ONE + 10);
  await waitUntilWaiting(10);
  await waitUntilBlocked();
  expect((await quiet.api.get('/api/public/me')).outcome).toBe('200');
  expect((await new Client(service.url).get('/health/live')).outcome).toBe('200');
  await lock.commit();
  expect(await statuses(requests)).toEqual(requests.map(() => 404));
  expect(await waitingRequests()).toBe(0);
});

it('refuses what finds the queue of its project full, and works on all others', async () => {
  const requests = askBlocked(OF_ONE + WAITING);
  await waitUntilWaiting(WAITING);
  const refused = await noisy.api.get(path);
  expect(refused.outcome).toBe('503 OVERLOADED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await quiet.api.get('/api/public/me')).outcome).toBe('200');
  await lock.commit();
  expect(await statuses(requests)).toEqual(requests.map(() => 404));
});

it('checks the key of another caller while one key is sent hundreds of times at once', async () => {
  // The process knows neither of these keys yet, so it has to read them.
  const sentOften = await makeKey(service, noisy.appId, noisy.scopeName);
  const sentOnce = await makeKey(service, quiet.appId, quiet.scopeName);
  const outcomes: string[] = [];
  const askMe = async () => {
    const { outcome } = await sentOften.api.get('/api/public/me');
    outcomes.push(outcome);
  };
  const { asked, mine } = await whilePoolIsFull(service, async () => {
    // All places that one credential may have are half of 512.
    const asked = Array.from({ length: 300 }, askMe);
    await eventually(
      () => outcomes.filter((outcome) => outcome === '503 OVERLOADED').length,
      (refused) => refused === 300 - 256,
    );
    return { asked, mine: sentOnce.api.get('/api/public/me') };
  });
  expect((await mine).outcome).toBe('200');
  await Promise.all(asked);
  expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(256);
});

it('drops the requests of clients that have left while they waited', async () => {
  const staying = askBlocked(OF_ONE);
  await waitUntilBlocked();
  const leaving = new AbortController();
  const left = Promise.allSettled(askBlocked(5, leaving.signal));
  await waitUntilWaiting(5);
  leaving.abort();
  await left;
  await waitUntilWaiting(0);
  await lock.commit();
  expect(await statuses(staying)).toEqual(staying.map(() => 404));
});

it('gives the slot to others while a request waits for a model', async () => {
  await lock.commit();
  const model = await connectTo(noisy, double, 'silent');
  const leaving = new AbortController();
  const calls = Array.from({ length: 20 }, () =>
    fetch(service.url + COMPLETIONS, {
      method: 'POST',
      headers: { 'x-api-key': noisy.key, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      signal: leaving.signal,
    }),
  );
  await eventually(
    () => double.calls.length,
    (now) => now >= 20,
  );
  expect(await waitingRequests()).toBe(0);
  expect((await ask(noisy, await connectTo(noisy, double))).outcome).toBe('200');
  leaving.abort();
  await Promise.allSettled(calls);
});
