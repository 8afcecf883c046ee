import assert from 'node:assert/strict';
import { type Permission, toPermissionMap } from '../../../src/kernel/permissions.js';
import { administratorOf } from '../actors.js';
import { type Answer, Client } from '../client.js';
import { isProjects } from '../sampled-routes.js';
import { assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route is open to the keys of a project that have its permission, and to no others. */
export function permissionChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  if (!isProjects(route)) return [];
  const isOpen: Check = { name: 'is open to a key with its permission alone', run: () => isOpenToPermission(tested) };
  const needs: Check = {
    name: 'refuses a key without its permission, and names it',
    run: () => needsPermission(tested),
  };
  const isNoChannel: Check = {
    name: 'is closed to a key that only sends channel messages',
    run: async () => assertOutcome(await askWith(tested, ['HTTP_ASYNC_SEND']), '403 PERMISSION_DENIED'),
  };
  return [
    isOpen,
    ...(route.access === 'anyKey' ? [] : [needs]),
    ...(route.access === 'HTTP_ASYNC_SEND' ? [] : [isNoChannel]),
  ];
}

async function askWith({ route, routes, tenant, refusedKeys }: RouteUnderTest, permissions: Permission[]) {
  const client = Client.withKey(routes.service, await refusedKeys.with(permissions));
  return routes.send(client, route, await routes.keptSample(route, tenant));
}

async function needsPermission({ route, routes, tenant, refusedKeys }: RouteUnderTest): Promise<void> {
  const needed = route.access as Permission;
  const client = Client.withKey(routes.service, await refusedKeys.without(needed));
  const answer: Answer = await routes.send(client, route, await routes.keptSample(route, tenant));
  assertOutcome(answer, '403 PERMISSION_DENIED');
  assert.deepEqual((answer.body as { required: string[] }).required, [needed]);
}

/** The sample may need more permissions than the route, so the scope loses the others after it is made. */
async function isOpenToPermission({ route, routes }: RouteUnderTest): Promise<void> {
  const tenant = await routes.tenant();
  const request = await routes.sample(route, tenant);
  const permissions = toPermissionMap([route.access === 'anyKey' ? 'RUN_API' : (route.access as Permission)]);
  const scope = `/api/admin/v1/apps/${tenant.appId}/scopes/${tenant.scopeId}`;
  assertOutcome(await administratorOf(routes.service).patch(scope, { permissions }), '200');
  assertOutcome(await routes.send(tenant.api, route, request), String(route.status));
}
