import assert from 'node:assert/strict';
import { RouteIndex } from '../../../src/platform/route/route-index.js';
import { makeTenant } from '../actors.js';
import { assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route answers as it is documented. The client compares each answer with the OpenAPI document too. */
export function answerChecks(tested: RouteUnderTest): Check[] {
  return [
    { name: 'answers a good request with its status and exactly its documented body', run: () => answers(tested) },
    { name: 'answers other verbs on its path with 405', run: () => refusesOtherVerbs(tested) },
  ];
}

async function answers({ route, routes }: RouteUnderTest): Promise<void> {
  const tenant = await makeTenant(routes.service);
  const answer = await routes.send(routes.callerOf(route, tenant), route, await routes.sample(route, tenant));
  assertOutcome(answer, String(route.status));
  // The schema drops unknown members, so the result is only equal if the answer has none.
  assert.deepEqual(answer.body, route.returns.schema.parse(answer.body));
}

async function refusesOtherVerbs({ route, routes }: RouteUnderTest): Promise<void> {
  const known = routes.service.app.get(RouteIndex).on(route.path);
  const taken = known.map(({ verb }) => verb);
  const other = (['PUT', 'PATCH', 'DELETE', 'POST', 'GET'] as const).find((verb) => !taken.includes(verb));
  if (!other) return;
  const answer = await routes.stranger.send(other, route.path.replace(/\{\w+\}/g, 'x'));
  assertOutcome(answer, '405 METHOD_NOT_ALLOWED');
}
