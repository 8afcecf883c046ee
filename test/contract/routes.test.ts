import { nameOf, RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';

/** With only one connection, a use case that asks on another one within its transaction would wait forever. */
const service = await startService({ DATABASE_POOL: '1' });
const suite = await RouteSuite.of(service);
afterAll(() => service.stop());

it('has one sample for every route, and no sample without a route', () => {
  expect(Object.keys(suite.samples).sort()).toEqual(suite.routes.map(nameOf).sort());
});

it('has no two routes on one path and no two operations of one name', () => {
  const paths = suite.routes.map(({ verb, path }) => `${verb} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(paths).size).toBe(paths.length);
  const operations = suite.routes.map(({ controller, method }) => `${controller.constructor.name}.${method}`);
  expect(new Set(operations).size).toBe(operations.length);
});

describe.each(suite.where(() => true))('%s', (_, route) => {
  it('answers a good request with its declared status and exactly its declared body', async () => {
    const tenant = await suite.tenant();
    const answer = await suite.send(suite.callerOf(route, tenant), route, await suite.sample(route, tenant));
    expect(answer.outcome).toBe(String(route.status));
    // The schema drops unknown members, so the result is only equal if the answer has none.
    const known = route.returns.schema.parse(answer.body);
    expect(answer.body).toStrictEqual(known);
  });

  it('says in one sentence what it is for', () => {
    expect(route.summary).toMatch(/^[A-Z].{8,90}[^.]$/);
  });
});

describe.each(suite.where(() => true))('%s', (_, { path, verb }) => {
  it('answers other verbs on its path with 405 and the verbs that it takes', async () => {
    const known = suite.routes.filter((route) => route.path === path).map((route) => route.verb);
    const other = (['PUT', 'PATCH', 'DELETE', 'POST', 'GET'] as const).find((candidate) => !known.includes(candidate));
    if (!other) return;
    const answer = await suite.stranger.send(other, path.replace(/\{\w+\}/g, 'x'));
    expect(answer.outcome).toBe('405 METHOD_NOT_ALLOWED');
    const allowed = answer.headers.get('allow')!.split(', ');
    expect(allowed).toContain(verb);
    expect(new Set(allowed).size).toBe(allowed.length);
  });
});
