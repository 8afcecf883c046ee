import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { makeTenant } from '../support/actors.js';
import { faultsAt, type Answer, type RequestOptions } from '../support/client.js';
import { replaceAt, textsIn } from '../support/leaves.js';
import { pathOf, RouteSuite, takesJson } from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';

/** The limits of a route in bytes, for a body that is declared as JSON and for a body of any type. */
const jsonBytesOf = ({ bodies }: IndexedRoute) => bodies.find((format) => format.matches('application/json'))!.maxBytes;
const mostBytesOf = ({ bodies }: IndexedRoute) => Math.max(...bodies.map(({ maxBytes }) => maxBytes));

const service = await startService({ API_KEYS_PER_SCOPE: '1000' });
const suite = await RouteSuite.of(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

/** Whether an empty body is a valid request. */
const asksNothing = ({ path }: IndexedRoute) => path.endsWith('/otel/v1/traces');
/** Whether clients of other services call the route. Members that Slipway does not know are then ignored. */
const isOthers = ({ path }: IndexedRoute) => /\/(mcp|otel\/v1\/traces|chat\/completions|hooks\/\{botId\})$/.test(path);

/** Whether identity providers redirect users to the route, to which they may add parameters of their own. */
const isSentBack = ({ path }: IndexedRoute) => /\/(idp|oidc)\/callback$/.test(path);

const nested = (levels: number) => `{"colour":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

function senderOf(route: IndexedRoute, request: RouteRequest) {
  return (more: RequestOptions) => suite.send(suite.callerOf(route, tenant), route, request, more);
}

/** Whether a refusal has a body that names the faults. */
const namesFaults = ({ verb }: IndexedRoute) => verb !== 'HEAD';

describe.each(suite.where((route) => !isSentBack(route) && namesFaults(route)))('%s', (_, route) => {
  it('names a query parameter that it does not know', async () => {
    const request = await suite.keptSample(route, tenant);
    const answer = await senderOf(route, request)({ query: { ...request.query, colour: 'red' } });
    expect(answer).toMatchObject(faultsAt('colour'));
  });
});

describe.each(suite.where(namesFaults))('%s', (_, route) => {
  it('names a query parameter with characters that nothing can store', async () => {
    const request = await suite.keptSample(route, tenant);
    const answer = await senderOf(route, request)({ query: { colour: 'a\0b' } });
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(answer.issues).toContainEqual({ path: 'colour', message: 'contains a NUL character' });
  });
});

describe.each(suite.where(takesJson))('%s', (_, route) => {
  let request: RouteRequest;
  let send: (more: RequestOptions) => Promise<Answer>;
  beforeAll(async () => {
    request = await suite.keptSample(route, tenant);
    send = senderOf(route, request);
  });
  const members = () => (request.body ?? {}) as Record<string, unknown>;

  it('names a member of the body that it does not know, or ignores it', async () => {
    const answer = await send({ body: { ...members(), colour: 'red' } });
    expect(answer).toMatchObject(isOthers(route) ? { outcome: '200' } : faultsAt('colour'));
  });

  it('names a member that would change how objects work, or ignores it', async () => {
    const rawBody = JSON.stringify({ ...members(), colour: 1 }).replace('"colour"', '"__proto__"');
    expect(await send({ rawBody })).toMatchObject(isOthers(route) ? { outcome: '200' } : faultsAt('__proto__'));
  });

  it('names all faults of query and body at once', async () => {
    const form = isOthers(route) ? '\0' : 'round';
    const answer = await send({ query: { ...request.query, colour: 'red' }, body: { ...members(), size: 'L', form } });
    expect(answer).toMatchObject(faultsAt('colour', ...(isOthers(route) ? [] : ['size']), 'form'));
  });

  it.each(['null', '[]', '"text"', '1', 'true'])('refuses the body %s, which is not an object', async (rawBody) => {
    expect((await send({ rawBody })).outcome).toBe('400 VALIDATION_ERROR');
  });

  it.each(['{"a":', '{"a":1,}', "{'a':1}", 'nonsense', '{}{}', '\u0000', '{"a":\u0001}', 'NaN'])(
    'refuses the body %j, which is not JSON',
    async (rawBody) => {
      expect((await send({ rawBody })).outcome).toBe('400 MALFORMED_JSON');
    },
  );

  it('refuses a body that is no UTF-8', async () => {
    const rawBody = Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d);
    expect((await send({ rawBody })).outcome).toBe('400 MALFORMED_JSON');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'json',
  ])('refuses a body that is declared as %s', async (type) => {
    const answer = await send({ rawBody: '{}', headers: { 'content-type': type } });
    expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
  });

  it('refuses a body in an encoding that it does not take', async () => {
    for (const encoding of isOthers(route) ? ['br', 'deflate', 'gzip, gzip'] : ['gzip', 'br']) {
      const answer = await send({ rawBody: '{}', headers: { 'content-encoding': encoding } });
      expect(answer.outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    }
  });

  it('refuses a body over its limit, however it is sent, and the client receives the answer', async () => {
    const rawBody = JSON.stringify({ colour: 'x'.repeat(2 * jsonBytesOf(route)) });
    expect((await send({ rawBody })).outcome).toBe('413 PAYLOAD_TOO_LARGE');

    const path = pathOf(route, request);
    const key = route.access === 'administration' ? service.adminKey : tenant.key;
    const headers = { 'x-api-key': key, ...request.headers };
    const chunked = openRequest(service.url, { verb: route.verb, path, headers, begin: rawBody });
    chunked.finish();
    expect((await chunked.answer).outcome).toBe('413 PAYLOAD_TOO_LARGE');
  });

  it('reports the size before the wrong type, and the type before invalid JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    const rawBody = '['.repeat(mostBytesOf(route) + 1);
    expect((await send({ rawBody, headers })).outcome).toBe('413 PAYLOAD_TOO_LARGE');
    expect((await send({ rawBody: '[', headers })).outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect((await send({ rawBody: '[', query: { colour: 'red' } })).outcome).toBe('400 MALFORMED_JSON');
  });

  it('takes a body up to its limit', async () => {
    const around = JSON.stringify({ colour: '' }).length;
    const rawBody = JSON.stringify({ colour: 'x'.repeat(jsonBytesOf(route) - around) });
    expect((await send({ rawBody })).outcome).toBe(asksNothing(route) ? '200' : '400 VALIDATION_ERROR');
  });

  it('refuses nesting past 64 levels, and no less', async () => {
    for (const levels of [65, 100_000]) {
      const answer = await send({ rawBody: nested(levels) });
      expect(answer.outcome).toBe('400 VALIDATION_ERROR');
      expect(answer.issues).toContainEqual({
        path: expect.stringMatching(/^colour/) as string,
        message: 'is nested deeper than 64 levels',
      });
    }
    const allowed = await send({ rawBody: nested(64) });
    expect(allowed.outcome).toBe(asksNothing(route) ? '200' : '400 VALIDATION_ERROR');
    expect(allowed.text).not.toContain('deeper');
  });

  it('names the places of NUL characters and lone surrogates', async () => {
    const faults = {
      '\0': 'contains a NUL character',
      '\uD800': 'contains a lone surrogate, which is not valid Unicode',
    };
    for (const path of [...textsIn(request.body), ['colour'], ['colour', 'shade', '0']]) {
      for (const [character, message] of Object.entries(faults)) {
        const answer = await send({ body: withMember(members(), path, `a${character}b`) });
        expect(answer.outcome).toBe('400 VALIDATION_ERROR');
        expect(answer.issues).toContainEqual({ path: path.join('.'), message });
      }
    }
  });

  it('refuses a NUL character or a lone surrogate in the name of a member', async () => {
    for (const character of ['\0', '\uDFFF']) {
      const answer = await send({ body: { ...members(), [`a${character}b`]: 1 } });
      expect(answer.outcome).toBe('400 VALIDATION_ERROR');
      expect(answer.text).toMatch(/has a member whose name contains a (NUL|lone)/);
    }
  });
});

function withMember(body: object, path: (string | number)[], value: string): unknown {
  const [first = '', ...rest] = path;
  if (first in body) return replaceAt(body, path, value);
  const member = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return { ...body, [first]: member };
}
