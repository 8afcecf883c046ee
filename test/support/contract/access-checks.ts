import assert from 'node:assert/strict';
import { newKeyValue } from '../../../src/kernel/key-format.js';
import { type Permission, PERMISSION_NAMES, withImplied } from '../../../src/kernel/permissions.js';
import { makeKeyWith, makeTenant } from '../actors.js';
import { Client, type RequestOptions } from '../client.js';
import { canHaveBody, isAdministration, isClients, isOpen } from '../sampled-routes.js';
import { assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route admits the callers that it declares, and no others. */
export function accessChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  if (isOpen(route) || isClients(route)) return [];
  const ofKeys: Check[] = [
    { name: 'refuses a request without a key, before it reads the body', run: () => refusesNoKey(tested) },
    { name: 'refuses a key that is mistyped or was never issued', run: () => refusesUnknownKeys(tested) },
    { name: 'refuses a key of the other kind', run: () => refusesOtherKind(tested) },
  ];
  if (isAdministration(route) || route.access === 'anyKey') return ofKeys;
  return [
    ...ofKeys,
    { name: 'refuses a key without its permission, and names it', run: () => needsPermission(tested) },
    { name: 'is open to a key with its permission alone', run: () => isOpenToPermission(tested) },
  ];
}

async function outcomeWith(tested: RouteUnderTest, headers: Record<string, string>, more: RequestOptions = {}) {
  const { route, routes, tenant } = tested;
  const client = new Client(routes.service.url, headers);
  return (await routes.send(client, route, await routes.keptSample(route, tenant), more)).outcome;
}

async function refusesNoKey(tested: RouteUnderTest): Promise<void> {
  assert.equal(await outcomeWith(tested, {}), '401 API_KEY_MISSING');
  if (!canHaveBody(tested.route)) return;
  assert.equal(await outcomeWith(tested, {}, { rawBody: '{"not": json' }), '401 API_KEY_MISSING');
}

async function refusesUnknownKeys(tested: RouteUnderTest): Promise<void> {
  const { key } = tested.tenant;
  const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  for (const bad of [mistyped, 'nonsense', newKeyValue('sw_'), newKeyValue('swa_')])
    assert.equal(await outcomeWith(tested, { 'x-api-key': bad }), '401 API_KEY_INVALID');
}

async function refusesOtherKind(tested: RouteUnderTest): Promise<void> {
  const { route, routes, tenant } = tested;
  const other = isAdministration(route) ? tenant.key : routes.service.adminKey;
  assert.equal(await outcomeWith(tested, { 'x-api-key': other }), '401 API_KEY_INVALID');
}

async function needsPermission({ route, routes, tenant }: RouteUnderTest): Promise<void> {
  const needed = route.access as Permission;
  const others = PERMISSION_NAMES.filter((name) => !withImplied([name]).has(needed));
  const { api } = await makeKeyWith(routes.service, tenant, others);
  const answer = await routes.send(api, route, await routes.keptSample(route, tenant));
  assertOutcome(answer, '403 PERMISSION_DENIED');
  assert.deepEqual((answer.body as { required: string[] }).required, [needed]);
}

/** The sample may need more permissions than the route, so it is made with another key of the same tenant. */
async function isOpenToPermission({ route, routes }: RouteUnderTest): Promise<void> {
  const tenant = await makeTenant(routes.service);
  const request = await routes.sample(route, tenant);
  const { api } = await makeKeyWith(routes.service, tenant, [route.access as Permission]);
  assertOutcome(await routes.send(api, route, request), String(route.status));
}
