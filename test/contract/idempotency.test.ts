import { containsKey } from '../../src/kernel/key-format.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { RouteSuite } from '../support/route-suite.js';
import { startService } from '../support/service.js';

/** With only one connection, a use case that asks on another one within its transaction would wait forever. */
const service = await startService({ DATABASE_POOL: '1' });
const suite = await RouteSuite.of(service);
const tenant = await suite.tenant();
afterAll(() => service.stop());

const takesKey = ({ takesIdempotencyKey }: IndexedRoute) => takesIdempotencyKey !== false;

describe.each(suite.where(takesKey))('%s', (name, route) => {
  it('happens once under one Idempotency-Key, and shows no secret twice', async () => {
    const request = await suite.sample(route, tenant);
    const headers = { 'idempotency-key': name.replace(' ', '-') };
    const caller = suite.callerOf(route, tenant);
    const first = await suite.send(caller, route, request, { headers });
    const again = await suite.send(caller, route, request, { headers });
    expect(first.status).toBe(route.status);
    expect(again.status).toBe(route.status);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(containsKey(again.text)).toBe(false);
    expect(Object.keys(again.body as object)).toEqual(Object.keys(first.body as object));
  });
});

it('finds routes that take an Idempotency-Key', () => {
  expect(suite.where(takesKey).length).toBeGreaterThan(5);
});
