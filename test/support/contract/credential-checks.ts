import { newKeyValue } from '../../../src/kernel/key-format.js';
import { Client, type RequestOptions } from '../client.js';
import { atTime, HOUR } from '../clock.js';
import { countQueries } from '../count-queries.js';
import { eventually } from '../eventually.js';
import { canHaveBody, isAdministration, isClients, isOpen, isProjects } from '../sampled-routes.js';
import { assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route admits no request without a good key of its kind. */
export function credentialChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  if (isClients(route)) return [];
  if (isOpen(route)) return [{ name: 'is open, and ignores even a bad key', run: () => ignoresKeys(tested) }];
  const ofBodies: Check[] = [
    { name: 'refuses a request without a good key before it reads the body', run: () => refusesBeforeBody(tested) },
  ];
  const ofProjects: Check[] = [{ name: 'refuses an expired key', run: () => refusesExpired(tested) }];
  return [
    { name: 'refuses a request without a key', run: () => refusesNoKey(tested) },
    { name: 'refuses a mistyped key, without asking the database', run: () => refusesMistyped(tested) },
    { name: 'refuses a well-formed key that was never issued', run: () => refusesUnknown(tested) },
    { name: 'refuses a revoked key', run: () => refusesRevoked(tested) },
    { name: 'refuses a key of the other kind', run: () => refusesOtherKind(tested) },
    { name: 'refuses two keys that differ, even if one is good', run: () => refusesTwoKeys(tested) },
    { name: 'refuses a key that is only in the address or in the body', run: () => refusesElsewhere(tested) },
    ...(canHaveBody(route) ? ofBodies : []),
    ...(isProjects(route) ? ofProjects : []),
  ];
}

type Headers = Record<string, string>;

async function assertRefused(
  { route, routes, tenant }: RouteUnderTest,
  headers: Headers,
  code: 'MISSING' | 'INVALID' | 'EXPIRED',
  more: RequestOptions = {},
): Promise<void> {
  const client = new Client(routes.service.url, headers);
  const answer = await routes.send(client, route, await routes.keptSample(route, tenant), more);
  assertOutcome(answer, `401 API_KEY_${code}`);
}

/** Returns a key that opens the route. */
function goodKey({ route, routes, tenant }: RouteUnderTest): string {
  return isAdministration(route) ? routes.service.adminKey : tenant.key;
}

/** Returns a key with a wrong checksum. */
function mistypedKey({ route, tenant }: RouteUnderTest): string {
  const key = isAdministration(route) ? newKeyValue('swa_') : tenant.key;
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}

async function ignoresKeys({ route, routes, tenant }: RouteUnderTest): Promise<void> {
  const client = new Client(routes.service.url, { 'x-api-key': 'nonsense', apikey: 'other nonsense' });
  assertOutcome(await routes.send(client, route, await routes.sample(route, tenant)), String(route.status));
}

async function refusesNoKey(tested: RouteUnderTest): Promise<void> {
  for (const headers of [{}, { 'x-api-key': '' }] as Headers[]) await assertRefused(tested, headers, 'MISSING');
}

/** The service may send queries of its own meanwhile. One of the requests themselves would be there in each attempt. */
async function refusesMistyped(tested: RouteUnderTest): Promise<void> {
  const mistyped = mistypedKey(tested);
  const headers: Headers[] = [{ 'x-api-key': mistyped }, { apikey: mistyped.slice(0, -1) }, { apikey: 'nonsense' }];
  const refused = async () => {
    for (const each of headers) await assertRefused(tested, each, 'INVALID');
  };
  await tested.routes.keptSample(tested.route, tested.tenant);
  await eventually(
    () => countQueries(tested.routes.service, refused),
    (queries) => queries === 0,
  );
}

async function refusesUnknown(tested: RouteUnderTest): Promise<void> {
  for (const kind of ['sw_', 'swa_'] as const)
    await assertRefused(tested, { 'x-api-key': newKeyValue(kind) }, 'INVALID');
}

async function refusesRevoked(tested: RouteUnderTest): Promise<void> {
  const { route, refusedKeys } = tested;
  const key = isAdministration(route) ? refusedKeys.revokedOfAdministrator() : refusedKeys.revoked();
  await assertRefused(tested, { 'x-api-key': await key }, 'INVALID');
}

async function refusesOtherKind(tested: RouteUnderTest): Promise<void> {
  const { route, routes, tenant, refusedKeys } = tested;
  const ofAdministrators = [routes.service.adminKey, await refusedKeys.ofAdministrator()];
  for (const key of isAdministration(route) ? [tenant.key] : ofAdministrators)
    await assertRefused(tested, { 'x-api-key': key }, 'INVALID');
}

async function refusesTwoKeys(tested: RouteUnderTest): Promise<void> {
  const [good, other] = [goodKey(tested), newKeyValue('sw_')];
  for (const [first, second] of [
    [good, other],
    [other, good],
    ['', good],
  ] as const)
    await assertRefused(tested, { 'x-api-key': first, apikey: second }, 'INVALID');
}

async function refusesElsewhere(tested: RouteUnderTest): Promise<void> {
  const good = goodKey(tested);
  const keys = { 'x-api-key': good, apikey: good, api_key: good };
  await assertRefused(tested, {}, 'MISSING', { query: keys });
  if (canHaveBody(tested.route)) await assertRefused(tested, {}, 'MISSING', { body: keys });
}

async function refusesBeforeBody(tested: RouteUnderTest): Promise<void> {
  await assertRefused(tested, {}, 'MISSING', { rawBody: '{"not": json' });
  const headers = { 'content-type': 'text/plain', 'x-api-key': mistypedKey(tested) };
  await assertRefused(tested, {}, 'INVALID', { rawBody: 'x', headers });
}

async function refusesExpired(tested: RouteUnderTest): Promise<void> {
  const key = await tested.refusedKeys.expiring();
  await tested.routes.keptSample(tested.route, tested.tenant);
  await atTime(Date.now() + 2 * HOUR, () => assertRefused(tested, { 'x-api-key': key }, 'EXPIRED'));
}
