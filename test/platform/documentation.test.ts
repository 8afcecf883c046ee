import { declaredSchemas } from '../../src/platform/http/declared-schemas.js';
import { statusIn } from '../../src/platform/route/error-shape.js';
import { RouteIndex } from '../../src/platform/route/route-index.js';
import { makeTenant } from '../support/actors.js';
import { Client } from '../support/client.js';
import { startProcess } from '../support/process.js';
import { startService } from '../support/service.js';

const service = await startService({ RATE_LIMIT_LEDGER: '1000' });
const stranger = new Client(service.url);
const routes = service.app.get(RouteIndex).all();
afterAll(() => service.stop());

interface Header {
  $ref?: string;
  schema?: { const?: unknown };
}

interface Response {
  $ref?: string;
  content: object;
  headers: Record<string, Header>;
}

interface Operation {
  operationId: string;
  summary: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema: { default?: unknown; example?: unknown } }[];
  requestBody?: {
    content: Record<
      string,
      { example?: unknown; examples?: unknown; schema?: { $ref?: string; example?: unknown; examples?: unknown[] } }
    >;
  };
  responses: Record<string, Response>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, { type: string; in: string; name: string }>;
    schemas: Record<string, { example?: unknown; examples?: unknown[] }>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
  };
}

const LEDGER_LIMIT = { type: 'integer', minimum: 1, maximum: 10_000, default: 100 };
const LEDGER_OFFSET = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 };

const readDocument = async () => (await stranger.get<Document>('/openapi.json')).body;

describe('the document at /openapi.json', () => {
  it('is OpenAPI 3.1 with schemes for keys, administration keys and the tokens of clients', async () => {
    const { openapi, components } = await readDocument();
    expect(openapi).toMatch(/^3\.1\./);
    const key = { type: 'apiKey', in: 'header', name: 'x-api-key' };
    expect(components.securitySchemes).toMatchObject({
      apiKey: key,
      administrationKey: key,
      clientToken: { ...key, name: 'auth' },
      clientTokenInToken: { ...key, name: 'token' },
    });
    expect(Object.keys(components.securitySchemes)).toHaveLength(4);
  });

  it('gives the default length and beginning of every page', async () => {
    const { paths } = await readDocument();
    const parametersOf = ({ parameters = [] }: Operation) => parameters.filter((each) => each.in === 'query');
    const ledger = parametersOf(paths['/api/public/analytics/projects/{projectId}/llm-ledger']!.get!);
    expect(ledger).toContainEqual(expect.objectContaining({ name: 'limit', schema: LEDGER_LIMIT }));
    expect(ledger).toContainEqual(expect.objectContaining({ name: 'offset', schema: LEDGER_OFFSET }));

    const all = Object.values(paths).flatMap((verbs) => Object.values(verbs).flatMap(parametersOf));
    const ofPages = all.filter(({ name }) => ['limit', 'offset', 'page'].includes(name));
    expect(ofPages.filter(({ schema }) => schema.default === undefined)).toEqual([]);
  });

  it('has every route and no other', async () => {
    const { paths } = await readDocument();
    const documented = Object.entries(paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(routes.map(({ verb, path }) => `${verb} ${path}`).sort());
  });

  it.each(routes.map((route) => [`${route.verb} ${route.path}`, route] as const))(
    'says what %s is for, who may call it and how it answers',
    async (_, route) => {
      const operation = (await readDocument()).paths[route.path]![route.verb.toLowerCase()]!;
      expect(operation.summary).toBe(route.summary);
      const byDefault = `${route.controller.constructor.name.replace(/Controller$/, '')}_${route.method}`;
      expect(operation.operationId).toBe(route.operationId || byDefault);
      expect(Object.keys(operation.responses)).toContain(String(route.status));
      const [type] = (route.returns.contentType ?? 'application/json').split(';');
      const orEvents = route.returns.isEventStream && !route.returns.contentType ? ['text/event-stream'] : [];
      const others = route.returns.otherContentTypes ?? [];
      const types = route.returns.hasBody === false ? [] : [type, ...orEvents, ...others];
      const { content = {} } = operation.responses[route.status] as { content?: object };
      expect(Object.keys(content)).toEqual(types);
      if (operation.requestBody) {
        const taken = route.streamedBody ? [route.streamedBody] : route.bodies;
        expect(Object.keys(operation.requestBody.content)).toEqual(taken.map(({ mediaType }) => mediaType));
      }
      const isOpen = route.access === 'public';
      const ways = isOpen ? 0 : route.access === 'jwtClient' ? 2 : 1;
      expect((operation.security ?? []).length).toBe(ways);
      for (const status of isOpen ? [500] : [401, 429, 500]) {
        const answered = statusIn(route.errorShape, { status, code: '', message: '' }, route.verb);
        expect(Object.keys(operation.responses)).toContain(String(answered));
      }
    },
  );
});

describe('the headers of answers', () => {
  const LEDGER = '/api/public/analytics/projects/{projectId}/llm-ledger';
  /** Headers of HTTP itself and of helmet, which are the same for all routes and of no use to callers. */
  const OF_ALL =
    /^(connection|content-|cross-origin-|date|keep-alive|origin-agent|referrer|transfer|vary|x-(?!req|cor))/;

  const documented = async (status: number) => {
    const { paths, components } = await readDocument();
    const response = paths[LEDGER]!.get!.responses[status]!;
    const shared = components.responses[response.$ref?.split('/').at(-1) ?? ''];
    const { headers } = shared ?? response;
    for (const { $ref } of Object.values(headers)) {
      if ($ref) expect(components.headers).toHaveProperty($ref.replace('#/components/headers/', ''));
    }
    return headers;
  };
  /** An answer that has no other rule for caches has this one, so it says nothing about a route. */
  const isDefault = (name: string, value: string) => name === 'cache-control' && value === 'no-store';
  const sent = ({ headers }: { headers: Headers }) =>
    [...headers].filter(([name, value]) => !OF_ALL.test(name) && !isDefault(name, value)).map(([name]) => name);

  it('are all in the document', async () => {
    const { key, projectId } = await makeTenant(service);
    const path = `${LEDGER.replace('{projectId}', projectId)}?fromDate=2026-01-01T00:00:00Z&toDate=2026-01-02T00:00:00Z`;
    const page = await Client.withKey(service, key).get(path, { headers: { 'x-request-id': 'one-of-mine' } });
    const refused = await stranger.get(path, { headers: { 'x-request-id': 'one-of-mine' } });
    expect([page.status, refused.status]).toEqual([200, 401]);
    expect(refused.headers.get('cache-control')).toBe('no-store');

    const ofPage = await documented(200);
    expect(Object.keys(ofPage).sort()).toEqual([...sent(page), 'x-next-cursor'].sort());
    expect(ofPage['cache-control']!.schema!.const).toBe(page.headers.get('cache-control'));
    expect(Object.keys(await documented(401))).toEqual(expect.arrayContaining(sent(refused)));
    expect(Object.keys(await documented(429))).toContain('retry-after');
  });
});

describe('the body that Swagger UI fills in', () => {
  const jsonBody = ({ paths }: Document, { path, verb }: (typeof routes)[number]) =>
    paths[path]![verb.toLowerCase()]!.requestBody?.content['application/json'];

  it('is an example that the route accepts unchanged', async () => {
    const document = await readDocument();
    const faults = routes.flatMap((route) => {
      const schema = jsonBody(document, route)?.schema;
      if (!schema) return [];
      const named = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema;
      const example = named.example ?? named.examples?.[0];
      const { body } = declaredSchemas(route.controller.constructor, route.method);
      const result = body.safeParse(example);
      return example !== undefined && result.success ? [] : [`${route.verb} ${route.path}: ${JSON.stringify(example)}`];
    });
    expect(faults).toEqual([]);
  });
});

describe('the query that Swagger UI fills in', () => {
  it('is an example that the route accepts unchanged', async () => {
    const { paths } = await readDocument();
    const faults = routes.flatMap(({ verb, path, controller, method }) => {
      const { parameters = [] } = paths[path]![verb.toLowerCase()]!;
      const filled = parameters.filter((each) => each.in === 'query' && each.schema.example);
      const query = Object.fromEntries(filled.map(({ name, schema }) => [name, String(schema.example)]));
      const issues = declaredSchemas(controller.constructor, method).query.safeParse(query).error?.issues ?? [];
      // Parameters without an example are for the reader to fill in.
      const ofExamples = issues.filter((issue) => String(issue.path[0]) in query);
      return ofExamples.map((issue) => `${verb} ${path}: ${String(issue.path[0])} ${issue.message}`);
    });
    expect(faults).toEqual([]);
  });
});

describe('the header Idempotency-Key', () => {
  it('is not filled in for the user', async () => {
    const { paths } = await readDocument();
    const operations = Object.values(paths).flatMap((verbs) => Object.values(verbs));
    const headers = operations
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ name }) => name === 'Idempotency-Key');
    expect(headers.length).toBeGreaterThan(10);
    for (const header of headers) expect(JSON.stringify(header)).not.toContain('example');
  });
});

describe('the page at /docs', () => {
  it.each(['/docs', '/docs/'])('is Swagger UI at %s, which loads everything from this service', async (path) => {
    const page = await stranger.get<string>(path);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.body).toContain('Slipway API');
    const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const address = new URL(part, service.url + path);
      expect(address.origin).toBe(new URL(service.url).origin);
      expect((await fetch(address)).status).toBe(200);
    }
  });

  it('may only run its own scripts', async () => {
    const page = await stranger.get<string>('/docs');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:/);
    // The page's security policy would block an inline script.
    expect(page.body).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/);
  });
});

describe('every other answer', () => {
  it.each(['/health/live', '/api/public/me', '/nowhere', '/openapi.json'])(
    'of %s may not be shown in a frame, and runs nothing',
    async (path) => {
      const { headers } = await stranger.get(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.has('etag')).toBe(path === '/openapi.json');
    },
  );
});

describe('a service with an address of its own', () => {
  it('names it in the document, and asks browsers to use only TLS', async () => {
    const named = await startProcess({ ...service.settings, PUBLIC_URL: 'https://slipway.test/' });
    const { headers, body } = await new Client(named.url).get<{ servers: object[] }>('/openapi.json');
    expect(body.servers).toEqual([{ url: 'https://slipway.test' }]);
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}/);
    await named.kill();
  });
});
