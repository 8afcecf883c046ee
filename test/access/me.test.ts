import { newKeyValue } from '../../src/kernel/key-format.js';
import { toPermissionMap } from '../../src/kernel/permissions.js';
import { makeTenant } from '../support/actors.js';
import { Client, type Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { sendBytes } from '../support/wire.js';
import { ME } from './paths.js';

const service = await startService();
const tenant = await makeTenant(service, { permissions: ['RUN_API', 'CONNECTIONS_MANAGE'] });
afterAll(() => service.stop());

const outcomeWith = async (headers: Record<string, string>) => (await new Client(service.url, headers).get(ME)).outcome;

/** Two letters that differ: keys are random, and two that are the same would leave the key as it is. */
const changeLettersAbout = (key: string) => key.replace(/(?<=_.*)(.)(?!\1)(.)/, '$2$1');

it('GET /me answers the ids and permissions of the key', async () => {
  const answer = await tenant.api.get(ME);
  expect(answer.outcome).toBe('200');
  expect(answer.body).toStrictEqual({
    success: true,
    key_id: tenant.keyId,
    key_name: expect.stringMatching(/^key \d+$/) as string,
    expires_at: null,
    project_id: tenant.projectId,
    app_id: tenant.appId,
    scope_id: tenant.scopeId,
    permissions: toPermissionMap(['RUN_API', 'CONNECTIONS_MANAGE']),
    allowed: ['RUN_API', 'CONNECTIONS_VIEW', 'CONNECTIONS_MANAGE'],
    meta: { requestId: answer.headers.get('x-request-id'), timestamp: expect.any(String) as string },
  });
});

it('GET /me refuses a key that only sends channel messages, and says which key it accepts', async () => {
  const channel = await makeTenant(service, { permissions: ['HTTP_ASYNC_SEND'] });
  const { outcome, body } = await channel.api.get<Refused>(ME);
  expect(outcome).toBe('403 PERMISSION_DENIED');
  expect(body).not.toHaveProperty('required');
  expect(body.error.message).toMatch(
    /needs a key of the project with another permission than HTTP_ASYNC_SEND. Send such a key/,
  );
});

describe('a key', () => {
  it.each(['x-api-key', 'X-Api-Key', 'X-API-KEY', 'apikey', 'ApiKey', 'APIKEY'])(
    'is accepted in the header %s',
    async (name) => {
      const answer = await sendBytes(service.url, `GET ${ME} HTTP/1.1\r\nhost: x\r\n${name}: ${tenant.key}\r\n\r\n`);
      expect(answer.outcome).toBe('200');
    },
  );

  it('may be sent in both headers if they agree', async () => {
    expect(await outcomeWith({ 'x-api-key': tenant.key, apikey: tenant.key })).toBe('200');
  });

  it('is refused if two headers of one name differ', async () => {
    const lines = `x-api-key: ${tenant.key}\r\nx-api-key: ${newKeyValue('sw_')}\r\n`;
    const answer = await sendBytes(service.url, `GET ${ME} HTTP/1.1\r\nhost: x\r\n${lines}\r\n`);
    expect(answer.outcome).toBe('401 API_KEY_INVALID');
  });

  it('is not accepted as a bearer token', async () => {
    expect(await outcomeWith({ authorization: `Bearer ${tenant.key}` })).toBe('401 API_KEY_MISSING');
  });

  it('is named in the challenge of a refusal', async () => {
    const answer = await new Client(service.url).get(ME);
    expect(answer.headers.get('www-authenticate')).toMatch(/x-api-key/);
  });

  it.each([
    ['cut short', (key: string) => key.slice(0, -1)],
    ['too long', (key: string) => `${key}0`],
    ['with two letters changed about', changeLettersAbout],
    ['in the wrong case', (key: string) => key.toUpperCase()],
    ['with another prefix', (key: string) => `swa_${key.slice(3)}`],
    ['in quotes', (key: string) => `"${key}"`],
    ['a megabyte long', () => 'sw_'.repeat(300_000)],
  ])('is refused %s', async (_, change) => {
    expect(await outcomeWith({ 'x-api-key': change(tenant.key) })).toBe('401 API_KEY_INVALID');
  });
});
