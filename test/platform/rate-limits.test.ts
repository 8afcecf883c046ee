import { administratorOf, makeKey, makeTenant, type Key } from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { Client, type Answer, type Refused } from '../support/client.js';
import type { Target } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';
import { startPair } from '../support/two-processes.js';

const LIMIT = 5;
const pair = await startPair({
  RATE_LIMIT_DEFAULT: String(LIMIT),
  RATE_LIMIT_LEDGER: '2',
  RATE_LIMIT_MESSAGES: '1',
  REDIS_URL: redisDatabase(3),
});
/** This process counts nothing, so the tests prepare their tenants through it. */
const free = await pair.another({ RATE_LIMIT_DEFAULT: '0' });
const tenant = await makeTenant(free);
afterAll(() => pair.stop());

const ME = '/api/public/me';
const ask = (target: Target, { key }: Key) => Client.withKey(target, key).get<Refused>(ME);
const freshKey = () => makeKey(free, tenant.appId, tenant.scopeName);

const limitsOf = ({ headers }: Answer) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];

it('says with every answer how many requests are left', async () => {
  const key = await freshKey();
  for (let left = LIMIT - 1; left >= 0; left -= 1) {
    const answer = await ask(pair.a, key);
    expect(answer.outcome).toBe('200');
    const [policy, state] = limitsOf(answer);
    expect(policy).toBe(`"default";q=${LIMIT};w=60`);
    expect(state).toMatch(new RegExp(`^"default";r=${left};t=([1-9]|[1-5]\\d|60)$`));
  }
});

it('counts each group of routes for itself', async () => {
  const key = await freshKey();
  const query = { fromDate: '2026-11-01T00:00:00Z', toDate: '2026-11-02T00:00:00Z' };
  const askLedger = () =>
    Client.withKey(pair.a, key.key).get(`/api/public/analytics/projects/${tenant.projectId}/llm-ledger`, { query });
  const answers = [await askLedger(), await askLedger(), await askLedger()];
  expect(answers.map(({ outcome }) => outcome)).toEqual(['200', '200', '429 RATE_LIMIT_EXCEEDED']);
  expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"ledger";q=2;w=60');
  const send = () => Client.withKey(pair.b, key.key).post('/api/v1/channels/http-async/message', {});
  expect([(await send()).outcome, (await send()).outcome]).toEqual(['400 VALIDATION_ERROR', '429 RATE_LIMIT_EXCEEDED']);
  expect((await ask(pair.a, key)).outcome).toBe('200');
});

it('counts a key’s requests in all processes together', async () => {
  const key = await freshKey();
  const first = [await ask(pair.a, key), await ask(pair.b, key), await ask(pair.a, key), await ask(pair.b, key)];
  expect(first.map(({ outcome }) => outcome)).toEqual(['200', '200', '200', '200']);
  expect((await ask(pair.b, key)).outcome).toBe('200');
  expect((await ask(pair.a, key)).outcome).toBe('429 RATE_LIMIT_EXCEEDED');
  expect((await ask(pair.b, key)).outcome).toBe('429 RATE_LIMIT_EXCEEDED');
});

it('accepts exactly the limit when all requests come at once', async () => {
  const key = await freshKey();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 2 ? pair.a : pair.b, key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - LIMIT);
});

it('says when to send the request again', async () => {
  const key = await freshKey();
  for (let count = 0; count < LIMIT; count += 1) await ask(pair.a, key);
  const answer = await ask(pair.a, key);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(answer.body.error.message).toContain(`${seconds} seconds`);
  expect(limitsOf(answer)[1]).toBe(`"default";r=0;t=${seconds}`);
});

it('counts each key for itself', async () => {
  const [a, b] = await Promise.all([freshKey(), freshKey()]);
  for (let count = 0; count <= LIMIT; count += 1) await ask(pair.a, a);
  expect((await ask(pair.a, a)).status).toBe(429);
  expect((await ask(pair.a, b)).status).toBe(200);
});

it('continues to count a key through a rotation', async () => {
  const key = await freshKey();
  for (let count = 0; count < LIMIT; count += 1) await ask(pair.a, key);
  const path = `/api/admin/v1/apps/${tenant.appId}/apikeys/${key.keyId}/rotate`;
  const { body } = await administratorOf(free).post<{ data: { apikey: string } }>(path);
  expect((await Client.withKey(pair.a, body.data.apikey).get(ME)).status).toBe(429);
});

it('does not count administrators and public routes', async () => {
  const { adminKey } = await makeAdminKey(free);
  const ask = {
    settingsKey: () => administratorOf(pair.a).get('/api/admin/v1/projects'),
    namedKey: () => Client.withKey(pair.a, adminKey).get('/api/admin/v1/projects'),
    anonymous: () => new Client(pair.a.url).get('/health/live'),
  };
  for (const request of Object.values(ask)) {
    for (let count = 0; count <= LIMIT; count += 1) {
      const answer = await request();
      expect(answer.outcome).toBe('200');
      expect(limitsOf(answer)).toEqual([null, null]);
    }
  }
});

it('counts nothing if the limit is 0', async () => {
  const key = await freshKey();
  for (let count = 0; count < 3 * LIMIT; count += 1) {
    const answer = await ask(free, key);
    expect(answer.outcome).toBe('200');
    expect(limitsOf(answer)).toEqual([null, null]);
  }
});
