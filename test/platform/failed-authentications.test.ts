import { newKeyValue } from '../../src/kernel/key-format.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';

const LIMIT = 5;
const service = await startService({
  RATE_LIMIT_FAILED_AUTH: String(LIMIT),
  TRUST_PROXY: '127.0.0.1',
  REDIS_URL: redisDatabase(4),
});
const tenant = await makeTenant(service);
afterAll(() => service.stop());

let lastAddress = 0;
const freshAddress = () => `203.0.113.${(lastAddress += 1)}`;

const from = (address: string, key: string, path = '/api/public/me', url = service.url) =>
  new Client(url, { 'x-forwarded-for': address, 'x-api-key': key }).get(path);

it('refuses an address with too many bad keys, and says until when', async () => {
  const address = freshAddress();
  for (let count = 0; count < LIMIT; count += 1) {
    expect((await from(address, newKeyValue('sw_'))).outcome).toBe('401 API_KEY_INVALID');
  }
  const refused = await from(address, newKeyValue('sw_'));
  expect(refused.outcome).toBe('429 RATE_LIMIT_EXCEEDED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

it.each([
  ['a mistyped key', 'sw_nonsense', '/api/public/me'],
  ['no key', '', '/api/public/me'],
  ['a bad administration key', newKeyValue('swa_'), '/api/admin/v1/projects'],
  ['a key of the other kind', tenant.key, '/api/admin/v1/projects'],
])('counts %s', async (_, key, path) => {
  const address = freshAddress();
  for (let count = 0; count < LIMIT; count += 1) expect((await from(address, key, path)).status).toBe(401);
  expect((await from(address, key, path)).status).toBe(429);
});

it('still accepts good keys from the same address', async () => {
  const address = freshAddress();
  for (let count = 0; count < 2 * LIMIT; count += 1) await from(address, newKeyValue('sw_'));
  expect((await from(address, tenant.key)).outcome).toBe('200');
});

it('does not count what a good key is not allowed to do', async () => {
  const address = freshAddress();
  const { key, appId, scopeId } = await makeTenant(service, { permissions: ['RUN_API'] });
  for (let count = 0; count < 2 * LIMIT; count += 1) {
    expect((await from(address, key, `/aaa/api/public/apps/${appId}/scopes/${scopeId}`)).status).toBe(403);
  }
});

it('counts each address for itself', async () => {
  const [a, b] = [freshAddress(), freshAddress()];
  for (let count = 0; count <= LIMIT; count += 1) await from(a, newKeyValue('sw_'));
  expect((await from(a, newKeyValue('sw_'))).status).toBe(429);
  expect((await from(b, newKeyValue('sw_'))).status).toBe(401);
});

it('trusts only a trusted proxy about an address', async () => {
  const settings = { ...service.settings, TRUST_PROXY: '', REDIS_URL: redisDatabase(5) };
  const direct = await startProcess(settings);
  for (let count = 0; count < LIMIT; count += 1) {
    expect((await from(freshAddress(), 'x', '/api/public/me', direct.url)).status).toBe(401);
  }
  expect((await from(freshAddress(), 'x', '/api/public/me', direct.url)).status).toBe(429);
  await direct.kill();
});
