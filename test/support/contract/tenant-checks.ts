import assert from 'node:assert/strict';
import { makeApp, type Tenant } from '../actors.js';
import { illFormed, unknownOf } from '../odd-ids.js';
import type { RouteRequest } from '../route-request.js';
import { isClients, isOpen, isProjects, parametersOf } from '../sampled-routes.js';
import { assertOutcome, type Check, type RouteUnderTest, sayTheSame, withParameter } from './check.js';

/** Checks that nothing of another project can be told from what does not exist. */
export function tenantChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  const parameters = parametersOf(route);
  if (isOpen(route) || isClients(route) || parameters.length === 0) return [];
  // The first parameter of an administration route says which tenant it is about.
  const ofTenants = isProjects(route) ? parameters : parameters.slice(1);
  return [
    ...parameters.map((name) => ({
      name: `answers an unknown or ill-formed {${name}} with one and the same 404`,
      run: () => answersUnknown(tested, name),
    })),
    ...ofTenants.map((name) => ({
      name: `answers the {${name}} of another project as an unknown one`,
      run: () => hidesOthers(tested, name),
    })),
    ...(isProjects(route)
      ? [{ name: 'answers ids of another project alone as unknown ones', run: () => hidesAll(tested) }]
      : []),
    ...(isProjects(route) && parameters.includes('appId')
      ? [{ name: 'sees the app of the key and no other app of the project', run: () => hidesSibling(tested) }]
      : []),
  ];
}

async function answersUnknown(tested: RouteUnderTest, name: string): Promise<void> {
  const mine = await sampleOf(tested, tested.tenant);
  const value = mine.params![name]!;
  const unknown = await ask(tested, withParameter(mine, name, unknownOf(value)));
  assert.equal(unknown.status, 404, unknown.text);
  const answers = illFormed(value).map(async (odd) => {
    const answer = await ask(tested, withParameter(mine, name, odd));
    assert.deepEqual({ odd, ...sayTheSame(answer) }, { odd, ...sayTheSame(unknown) });
  });
  await Promise.all(answers);
}

async function hidesOthers(tested: RouteUnderTest, name: string): Promise<void> {
  const mine = await sampleOf(tested, tested.tenant);
  const theirs = await sampleOf(tested, tested.stranger);
  // Some names, such as those of environments, are the same in every project.
  if (theirs.params![name] === mine.params![name]) return;
  await assertUnknown(tested, withParameter(mine, name, theirs.params![name]!), name);
}

async function hidesAll(tested: RouteUnderTest): Promise<void> {
  const [first = ''] = parametersOf(tested.route);
  const mine = await sampleOf(tested, tested.tenant);
  const unknown = await ask(tested, withParameter(mine, first, unknownOf(mine.params![first]!)));
  const foreign = await ask(tested, await sampleOf(tested, tested.stranger));
  assert.deepEqual(sayTheSame(foreign), sayTheSame(unknown));
}

async function hidesSibling(tested: RouteUnderTest): Promise<void> {
  const mine = await sampleOf(tested, tested.tenant);
  const sibling = await makeApp(tested.routes.service, tested.tenant.projectId);
  assertOutcome(await ask(tested, withParameter(mine, 'appId', sibling)), '404 APP_NOT_FOUND');
}

/** Asserts that the foreign id is answered as one that nothing has. */
async function assertUnknown(tested: RouteUnderTest, request: RouteRequest, name: string): Promise<void> {
  const unknown = await ask(tested, withParameter(request, name, unknownOf(request.params![name]!)));
  const foreign = await ask(tested, request);
  assert.equal(foreign.status, 404, foreign.text);
  assert.deepEqual(sayTheSame(foreign), sayTheSame(unknown));
}

const sampleOf = ({ route, routes }: RouteUnderTest, tenant: Tenant) => routes.keptSample(route, tenant);

const ask = ({ route, routes, tenant }: RouteUnderTest, request: RouteRequest) =>
  routes.send(routes.callerOf(route, tenant), route, request);
