import { makeTenant } from '../support/actors.js';
import { Client, type Answer } from '../support/client.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';

const service = await startService({ CORS_ORIGINS: 'https://one.test, https://two.test' });
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const ME = '/api/public/me';
const preflight = (url: string, origin: string) =>
  new Client(url).send('OPTIONS', ME, {
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' },
  });
const allowedOrigin = ({ headers }: Answer) => headers.get('access-control-allow-origin');

describe('with allowed origins', () => {
  it.each(['https://one.test', 'https://two.test'])('a page of %s may call the API', async (origin) => {
    const asked = await preflight(service.url, origin);
    expect(asked.status).toBe(204);
    expect(allowedOrigin(asked)).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toContain('x-api-key');
    expect(asked.headers.get('vary')).toMatch(/origin/i);

    const answer = await tenant.api.get(ME, { headers: { origin } });
    expect(allowedOrigin(answer)).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/x-request-id/);
  });

  it.each(['https://three.test', 'http://one.test', 'https://one.test.evil.test', 'null'])(
    'a page of %s may not call the API',
    async (origin) => {
      expect(allowedOrigin(await preflight(service.url, origin))).toBeNull();
      expect(allowedOrigin(await tenant.api.get(ME, { headers: { origin } }))).toBeNull();
    },
  );

  it('a page can read refusals too', async () => {
    const answer = await new Client(service.url).get(ME, { headers: { origin: 'https://one.test' } });
    expect(answer.outcome).toBe('401 API_KEY_MISSING');
    expect(allowedOrigin(answer)).toBe('https://one.test');
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bx-error-code\b/);
  });

  it('a page can read the headers of each route, and ask with OPTIONS itself', async () => {
    const origin = 'https://one.test';
    const path = '/api/public/files/tus';
    const answer = await tenant.api.send('OPTIONS', path, { headers: { origin } });
    expect(answer.headers.get('tus-version')).toBe('1.0.0');
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bupload-offset\b.*\bslipway-file-id\b/);
  });

  it('no page may send credentials of the browser', async () => {
    const asked = await preflight(service.url, 'https://one.test');
    expect(asked.headers.has('access-control-allow-credentials')).toBe(false);
  });
});

describe('without allowed origins', () => {
  it('no page may call the API', async () => {
    const closed = await startProcess({ ...service.settings, CORS_ORIGINS: '' });
    for (const origin of ['https://one.test', 'null']) {
      const asked = await preflight(closed.url, origin);
      expect(allowedOrigin(asked)).toBeNull();
      const answer = await Client.withKey(closed, tenant.key).get(ME, { headers: { origin } });
      expect(answer.outcome).toBe('200');
      expect(allowedOrigin(answer)).toBeNull();
    }
    await closed.kill();
  });
});
