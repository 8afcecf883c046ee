import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';

const LIMIT = 60;
const service = await startService({ RATE_LIMIT_DEFAULT: String(LIMIT), REDIS_URL: redisDatabase(10) });
afterAll(() => service.stop());

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

it('a key that asks too often is answered 429 and when to come back, and others are served', async () => {
  const [tenant, other] = [await makeTenant(service), await makeTenant(service)];
  let refused = await tenant.api.post('/mcp', message);
  let served = 0;
  // The count may begin again in between, when a new minute begins.
  for (; refused.status === 200 && served < 3 * LIMIT; served += 1) refused = await tenant.api.post('/mcp', message);
  expect(served).toBeGreaterThanOrEqual(LIMIT);
  expect(refused.outcome).toBe('429 RATE_LIMIT_EXCEEDED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await other.api.post('/mcp', message)).status).toBe(200);

  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'x-api-key': tenant.key } };
  const address = new URL(`${service.url}/mcp`);
  await expect(client.connect(new StreamableHTTPClientTransport(address, { requestInit }))).rejects.toThrow('429');
});

it('a message that is too long, or nested too deeply, is refused', async () => {
  const { api } = await makeTenant(service);
  const call = (value: unknown) => ({ ...message, method: 'tools/call', params: { name: 'a', arguments: { value } } });
  expect((await api.post('/mcp', call('x'.repeat(1024 * 1024)))).status).toBe(413);
  let deep: unknown = 1;
  for (let level = 0; level < 100; level += 1) deep = [deep];
  expect((await api.post('/mcp', call(deep))).status).toBe(400);
});

it('pages of unknown origins are refused, and those of this machine are served', async () => {
  const { api } = await makeTenant(service);
  const from = async (origin: string) =>
    (await api.send('POST', '/mcp', { headers: { origin }, body: message })).outcome;
  expect(await from('https://stranger.example')).toBe('403 MCP_ORIGIN_REFUSED');
  expect(await from('http://localhost.stranger.example')).toBe('403 MCP_ORIGIN_REFUSED');
  expect(await from('null')).toBe('403 MCP_ORIGIN_REFUSED');
  expect(await from(service.url)).toBe('200');
  expect(await from('http://localhost:6274')).toBe('200');
});
