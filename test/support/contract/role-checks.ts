import assert from 'node:assert/strict';
import { isAnyId } from '../../../src/kernel/ids.js';
import { ADMIN_ROLES, hasRight, roleInInstallation } from '../../../src/kernel/roles.js';
import { firstIdIn } from '../../../src/platform/auth/first-id.js';
import type { IndexedRoute } from '../../../src/platform/route/route-index.js';
import type { Tenant } from '../actors.js';
import type { Answer } from '../client.js';
import { type Path, replaceAt, textsIn, valueAt } from '../leaves.js';
import { unknownOf } from '../odd-ids.js';
import type { RouteRequest } from '../route-request.js';
import { isAdministration } from '../sampled-routes.js';
import { assertOutcome, type Check, type RouteUnderTest, sayTheSame, withParameter } from './check.js';

/** Checks that administrators can do what their role allows, in the whole installation or in one project. */
export function roleChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  if (!isAdministration(route)) return [];
  const inInstallation: Check[] = [
    { name: 'admits the roles in the installation that have its right', run: () => admitsRoles(tested) },
  ];
  if (!takesRolesInProjects(route))
    return [...inInstallation, { name: 'refuses roles in one project', run: () => refusesRolesInProjects(tested) }];
  return [
    ...inInstallation,
    { name: 'admits the roles in a project that have its right', run: () => admitsRoles(tested, true) },
    ...(route.rightIn === 'anyProject'
      ? [{ name: 'shows administrators of a project nothing of another', run: () => showsNothing(tested) }]
      : [{ name: 'answers administrators of another project as if nothing were there', run: () => hidesRows(tested) }]),
    { name: 'takes no ids of another project from administrators of one', run: () => takesNoOtherIds(tested) },
  ];
}

/** Whether a role in a project can suffice. Without an id in its path, a route is about the project that a query names. */
const takesRolesInProjects = (route: IndexedRoute) =>
  route.rightIn === 'anyProject' || (route.rightIn === 'project' && firstIdIn(route) !== undefined);

/** Reading changes nothing, so it needs no tenant of its own. */
const tenantFor = async ({ route, routes, tenant }: RouteUnderTest): Promise<Tenant> =>
  route.verb === 'GET' ? tenant : routes.tenant();

/** Asks with the weakest role first, whose request must not change what the others ask for. */
async function admitsRoles(tested: RouteUnderTest, inProject = false): Promise<void> {
  const { route, routes } = tested;
  const tenant = await tenantFor(tested);
  const request = await routes.sample(route, tenant);
  const outcomes: Record<string, string> = {};
  for (const role of ADMIN_ROLES.toReversed()) {
    const administrator = await routes.keptAdministrator(role, inProject ? tenant.projectId : undefined);
    outcomes[role] = (await routes.send(administrator, route, request)).outcome;
  }
  const [weakest, ...others] = ADMIN_ROLES.toReversed().filter((role) =>
    hasRight(roleInInstallation(role), route.right),
  );
  assert.match(outcomes[weakest!]!, /^20\d$/);
  for (const role of ADMIN_ROLES) {
    if (role === weakest) continue;
    const isRefused = outcomes[role] === '403 PERMISSION_DENIED';
    assert.equal(isRefused, !others.includes(role), `It answered ${outcomes[role]} to the role ${role}.`);
  }
}

/** The query may name the project of the administrator, but not another one. */
async function refusesRolesInProjects({ route, routes, tenant, stranger }: RouteUnderTest): Promise<void> {
  const request = await routes.keptSample(route, tenant);
  const { projectId: _, ...query } = request.query ?? {};
  const owner = await routes.keptAdministrator('owner', tenant.projectId);
  for (const others of [query, { ...query, projectId: stranger.projectId }])
    assertOutcome(await routes.send(owner, route, { ...request, query: others }), '403 PERMISSION_DENIED');
}

/** The same request is good from an administrator of the project afterwards, so that the refused one changed nothing. */
async function hidesRows(tested: RouteUnderTest): Promise<void> {
  const { route, routes, stranger } = tested;
  const tenant = await tenantFor(tested);
  const request = await routes.sample(route, tenant);
  const other = await routes.keptAdministrator('owner', stranger.projectId);
  const { name } = firstIdIn(route)!;
  const unknown = await routes.send(other, route, withParameter(request, name, unknownOf(request.params![name]!)));
  const foreign = await routes.send(other, route, request);
  assert.equal(foreign.status, 404, foreign.text);
  assert.deepEqual(sayTheSame(foreign), sayTheSame(unknown));
  const owner = await routes.keptAdministrator('owner', tenant.projectId);
  assert.match((await routes.send(owner, route, request)).outcome, /^20\d$/);
}

async function showsNothing({ route, routes, tenant, stranger }: RouteUnderTest): Promise<void> {
  const [mine, theirs] = [await routes.sample(route, tenant), await routes.sample(route, stranger)];
  const owner = await routes.keptAdministrator('owner', tenant.projectId);
  const other = await routes.keptAdministrator('owner', stranger.projectId);
  const shown = idsIn(await routes.send(owner, route, mine));
  for (const request of [mine, theirs]) assertNoneOf(shown, await routes.send(other, route, request));
}

/** Puts the ids of the other project's sample, one by one, in their places in the query and the body. */
async function takesNoOtherIds(tested: RouteUnderTest): Promise<void> {
  const { route, routes, tenant, stranger } = tested;
  const [mine, theirs] = [await routes.keptSample(route, tenant), await routes.keptSample(route, stranger)];
  const owner = await routes.keptAdministrator('owner', tenant.projectId);
  for (const path of foreignIdsIn(mine, theirs)) {
    const foreign = valueAt(theirs, path) as string;
    const answer = await routes.send(owner, route, replaceAt(mine, path, foreign) as RouteRequest);
    if (answer.status < 400 && route.verb !== 'GET')
      assert.fail(`It took the id ${foreign} of another project at ${path.join('.')}: ${answer.text}`);
    assertNoneOf([foreign], answer);
  }
}

function foreignIdsIn({ query, body }: RouteRequest, theirs: RouteRequest): Path[] {
  return textsIn({ query, body }).filter((path) => {
    const [ours, foreign] = [valueAt({ query, body }, path), valueAt(theirs, path)];
    return typeof foreign === 'string' && isAnyId(foreign) && foreign !== ours;
  });
}

const idsIn = ({ text }: Answer) => (text.match(/[\w-]+/g) ?? []).filter(isAnyId);

function assertNoneOf(ids: readonly string[], answer: Answer): void {
  const shown = idsIn(answer).filter((id) => answer.status < 400 && ids.includes(id));
  assert.deepEqual(shown, [], `It shows ids of another project: ${answer.text}`);
}
