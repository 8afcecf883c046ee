import { administratorOf, makeProject, makeTenant } from '../support/actors.js';
import { type Answer, Client, type Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { withHeadersTimeout } from '../support/timeouts.js';
import { sendBytes } from '../support/wire.js';

/** The test client checks that every answer has an `x-request-id`, and that every error has its documented shape. */
const service = await startService();
const stranger = new Client(service.url);
afterAll(() => service.stop());

const PROBLEM = { accept: 'application/problem+json' };
const MiB = 1024 * 1024;

describe('a path without a route', () => {
  it.each([
    '/nowhere',
    '/api/public',
    '/api/admin/v1',
    '/api/public/me/',
    '/API/PUBLIC/ME',
    '/api/public/me/more',
    '/%00',
    '/%E0%A4%A',
    '/%',
    '/..%2f',
  ])('answers 404 for %s', async (path) => {
    const answer = await sendBytes(service.url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(answer.outcome).toBe('404 ROUTE_NOT_FOUND');
  });

  it('answers 404 for a segment that cannot be decoded, on a route with parameters', async () => {
    const path = '/api/admin/v1/projects/%E0%A4%A';
    const answer = await sendBytes(
      service.url,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.adminKey}\r\n\r\n`,
    );
    expect(answer.status).toBe(404);
  });

  it('lists the allowed verbs of a path if it is requested with another', async () => {
    const answer = await stranger.put('/api/admin/v1/projects', {});
    expect(answer.outcome).toBe('405 METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it.each(['/openapi.json', '/docs', '/docs/', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js', '/docs/errors'])(
    'lists the allowed verbs of %s, which only reads',
    async (path) => {
      for (const verb of ['POST', 'OPTIONS', 'DELETE'] as const) {
        const { outcome, headers } = await stranger.send(verb, path);
        expect([outcome, headers.get('allow')]).toEqual(['405 METHOD_NOT_ALLOWED', 'GET, HEAD']);
      }
      for (const verb of ['GET', 'HEAD'] as const) expect((await stranger.send(verb, path)).outcome).toBe('200');
    },
  );

  it('answers verbs that HTTP has and the service does not', async () => {
    for (const verb of ['PROPFIND', 'TRACE', 'PURGE']) {
      const answer = await sendBytes(service.url, `${verb} /api/public/me HTTP/1.1\r\nhost: x\r\n\r\n`);
      expect(answer.outcome).toBe('405 METHOD_NOT_ALLOWED');
    }
    const tunnel = await sendBytes(service.url, 'CONNECT elsewhere.test:443 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(tunnel.outcome).toBe('405 METHOD_NOT_ALLOWED');
  });

  it('answers a query that is no UTF-8 on a path that takes one', async () => {
    const head = `GET /api/admin/v1/projects?cursor=%ff HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.adminKey}\r\n\r\n`;
    const answer = await sendBytes(service.url, head);
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(answer.text).toContain('"path":"cursor"');
  });
});

describe('broken HTTP', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length below zero', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\r\nx: a\0b\r\n\r\n'],
  ])('with %s answers 400', async (_, bytes) => {
    expect((await sendBytes(service.url, bytes)).outcome).toBe('400 MALFORMED_REQUEST');
  });

  it('does not include HTTP/1.0 without a host', async () => {
    expect((await sendBytes(service.url, 'GET /health/live HTTP/1.0\r\n\r\n')).outcome).toBe('200');
  });

  it('with a malformed chunk answers 400, even to a valid key', async () => {
    const head = `POST /api/admin/v1/projects HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.adminKey}\r\n`;
    const answer = await sendBytes(
      service.url,
      `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n`,
    );
    expect(answer.outcome).toBe('400 MALFORMED_REQUEST');
  });

  it('with more than a mebibyte of headers, and not with less, answers 431', async () => {
    const head = (bytes: number) => `GET /health/live HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(bytes)}\r\n\r\n`;
    expect((await sendBytes(service.url, head(MiB - 1000))).outcome).toBe('200');
    expect((await sendBytes(service.url, head(MiB))).outcome).toBe('431 HEADERS_TOO_LARGE');
  });

  it('without its headers after ten seconds answers 408', async () => {
    expect(service.app.getHttpServer().headersTimeout).toBe(10_000);
    const answer = await withHeadersTimeout(service, 100, () => sendBytes(service.url, 'GET / HTTP/1.1\r\nhost:'));
    expect(answer.outcome).toBe('408 REQUEST_TIMEOUT');
  });
});

describe('the id of a request', () => {
  it('is different each time', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => stranger.get('/health/live')));
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(50);
  });

  it.each(['12345678', 'order-42_item.7', 'A'.repeat(128)])(
    'is returned together with the client’s own, %s',
    async (given) => {
      const { headers } = await stranger.get('/health/live', { headers: { 'x-request-id': given } });
      expect(headers.get('x-correlation-id')).toBe(given);
      expect(headers.get('x-request-id')).not.toBe(given);
    },
  );

  it.each(['1234567', 'A'.repeat(129), 'with space', 'semi;colon', 'ümlaut12', '<script>'])(
    'is returned alone if the client’s own is %s',
    async (given) => {
      const bytes = `GET /health/live HTTP/1.1\r\nhost: x\r\nx-request-id: ${given}\r\n\r\n`;
      const { headers } = await sendBytes(service.url, Buffer.from(bytes, 'latin1'));
      expect(headers.has('x-correlation-id')).toBe(false);
    },
  );
});

describe('an error as a problem document', () => {
  const problemOf = ({ headers, body }: Answer) => {
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    return body as Record<string, unknown>;
  };

  it('says the same in the format of RFC 9457', async () => {
    const plain = await stranger.get<Refused>('/api/public/me');
    const answer = await stranger.get('/api/public/me', { headers: PROBLEM });
    expect(problemOf(answer)).toEqual({
      type: expect.stringContaining('API_KEY_MISSING') as string,
      title: 'API_KEY_MISSING',
      status: 401,
      detail: plain.body.error.message,
      instance: expect.stringContaining(answer.headers.get('x-request-id')!) as string,
    });
  });

  it('has the faults of a request, and the missing permissions', async () => {
    const faulty = await administratorOf(service).post('/api/admin/v1/projects', { colour: 1 }, { headers: PROBLEM });
    expect(problemOf(faulty)).toMatchObject({ status: 400, details: { issues: expect.any(Array) as object } });

    const { api, appId, scopeId } = await makeTenant(service, { permissions: ['RUN_API'] });
    const denied = await api.get(`/aaa/api/public/apps/${appId}/scopes/${scopeId}`, { headers: PROBLEM });
    expect(problemOf(denied)).toMatchObject({ status: 403, required: ['API_SCOPE_KEY_FULL'] });
  });

  it.each(['*/*', 'application/json', 'text/html', 'application/json, application/problem+json', 'application/*'])(
    'is not sent to a client that accepts %s',
    async (accept) => {
      const { headers } = await stranger.get('/api/public/me', { headers: { accept } });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  it('leaves successes as they are', async () => {
    const projectId = await makeProject(service);
    const { headers } = await administratorOf(service).get(`/api/admin/v1/projects/${projectId}`, { headers: PROBLEM });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });
});
