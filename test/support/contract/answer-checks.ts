import assert from 'node:assert/strict';
import { assertOutcome, type Check, type RouteUnderTest } from './check.js';
import { RouteIndex } from '../../../src/platform/route/route-index.js';

/** Checks that a route answers as it is documented. The client compares each answer with the OpenAPI document too. */
export function answerChecks(tested: RouteUnderTest): Check[] {
  return [
    { name: 'says in one sentence what it is for', run: () => saysWhatItIsFor(tested) },
    { name: 'answers a good request with its status and exactly its documented body', run: () => answers(tested) },
    {
      name: 'answers other verbs on its path with 405 and the verbs that it takes',
      run: () => refusesOtherVerbs(tested),
    },
  ];
}

async function saysWhatItIsFor({ route }: RouteUnderTest): Promise<void> {
  assert.match(route.summary, /^[A-Z].{8,90}[^.]$/);
}

async function answers({ route, routes }: RouteUnderTest): Promise<void> {
  const tenant = await routes.tenant();
  const answer = await routes.send(routes.callerOf(route, tenant), route, await routes.sample(route, tenant));
  assertOutcome(answer, String(route.status));
  // The schema drops unknown members, so the result is only equal if the answer has none.
  assert.deepEqual(answer.body, route.returns.schema.parse(answer.body));
}

async function refusesOtherVerbs({ route, routes }: RouteUnderTest): Promise<void> {
  const known = routes.service.app.get(RouteIndex).on(route.path);
  const taken: string[] = known.map(({ verb }) => verb);
  const other = ['PUT', 'PATCH', 'DELETE', 'POST', 'GET'].find((verb) => !taken.includes(verb));
  if (!other) return;
  const answer = await routes.stranger.send(other, route.path.replace(/\{\w+\}/g, 'x'));
  assertOutcome(answer, '405 METHOD_NOT_ALLOWED');
  const allowed = answer.headers.get('allow')?.split(', ') ?? [];
  assert.ok(allowed.includes(route.verb), `It does not name ${route.verb}: ${allowed.join(', ')}`);
  assert.equal(new Set(allowed).size, allowed.length);
}
