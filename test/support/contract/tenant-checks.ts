import assert from 'node:assert/strict';
import type { Tenant } from '../actors.js';
import { illFormed, unknownOf } from '../odd-ids.js';
import type { RouteRequest } from '../route-request.js';
import { isClients, isOpen, isProjects, parametersOf } from '../sampled-routes.js';
import { type Check, type RouteUnderTest, sayTheSame, withParameter } from './check.js';

/** Checks that nothing of another project can be told from what does not exist. */
export function tenantChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  if (isOpen(route) || isClients(route)) return [];
  return parametersOf(route).flatMap((name, at) => [
    {
      name: `answers an unknown or ill-formed {${name}} with one and the same 404`,
      run: () => answersUnknown(tested, name),
    },
    // The first parameter of an administration route says which tenant it is about.
    ...(isProjects(route) || at > 0
      ? [{ name: `answers the {${name}} of another project as an unknown one`, run: () => hidesOthers(tested, name) }]
      : []),
  ]);
}

async function answersUnknown(tested: RouteUnderTest, name: string): Promise<void> {
  const mine = await sampleOf(tested, tested.tenant);
  const value = mine.params![name]!;
  const unknown = await ask(tested, withParameter(mine, name, unknownOf(value)));
  assert.equal(unknown.status, 404, unknown.text);
  for (const odd of illFormed(value)) {
    const answer = await ask(tested, withParameter(mine, name, odd));
    assert.deepEqual({ odd, ...sayTheSame(answer) }, { odd, ...sayTheSame(unknown) });
  }
}

async function hidesOthers(tested: RouteUnderTest, name: string): Promise<void> {
  const mine = await sampleOf(tested, tested.tenant);
  const theirs = await sampleOf(tested, tested.stranger);
  // Some names, such as those of environments, are the same in every project.
  if (theirs.params![name] === mine.params![name]) return;
  const unknown = await ask(tested, withParameter(mine, name, unknownOf(mine.params![name]!)));
  const foreign = await ask(tested, withParameter(mine, name, theirs.params![name]!));
  assert.equal(foreign.status, 404, foreign.text);
  assert.deepEqual(sayTheSame(foreign), sayTheSame(unknown));
}

const sampleOf = ({ route, routes }: RouteUnderTest, tenant: Tenant) => routes.keptSample(route, tenant);

const ask = ({ route, routes, tenant }: RouteUnderTest, request: RouteRequest) =>
  routes.send(routes.callerOf(route, tenant), route, request);
