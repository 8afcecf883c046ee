import assert from 'node:assert/strict';
import type { RequestOptions } from '../client.js';
import { replaceAt, textsIn } from '../leaves.js';
import { NO_JSON, ODD_JSON, ODD_VALUES } from '../naughty.js';
import { takesJson } from '../sampled-routes.js';
import { assertFaults, assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route refuses a request that is not as documented, and says where. */
export function requestChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  const ofQuery: Check[] =
    route.verb === 'HEAD'
      ? []
      : [{ name: 'names a query parameter that it does not know', run: () => namesUnknownParameter(tested) }];
  if (!takesJson(route)) return ofQuery;
  return [
    ...ofQuery,
    { name: 'names a member of the body that it does not know', run: () => namesUnknownMember(tested) },
    { name: 'refuses a body that is no object', run: () => refusesOtherValues(tested) },
    { name: 'refuses a body that is no JSON', run: () => refusesNoJson(tested) },
    { name: 'refuses a body of another type or in an encoding', run: () => refusesOtherTypes(tested) },
    { name: 'refuses a body over its limit', run: () => refusesLargeBodies(tested) },
    { name: 'refuses nesting past 64 levels', run: () => refusesDeepBodies(tested) },
    { name: 'names the places of characters that nothing can store', run: () => namesUnstorable(tested) },
    { name: 'survives odd values in its body', run: () => survives(tested) },
  ];
}

async function send({ route, routes, tenant }: RouteUnderTest, more: RequestOptions) {
  return routes.send(routes.callerOf(route, tenant), route, await routes.keptSample(route, tenant), more);
}

async function membersOf({ route, routes, tenant }: RouteUnderTest): Promise<Record<string, unknown>> {
  const { body } = await routes.keptSample(route, tenant);
  return (body ?? {}) as Record<string, unknown>;
}

async function namesUnknownParameter(tested: RouteUnderTest): Promise<void> {
  const { query } = await tested.routes.keptSample(tested.route, tested.tenant);
  assertFaults(await send(tested, { query: { ...query, colour: 'red' } }), 'colour');
}

async function namesUnknownMember(tested: RouteUnderTest): Promise<void> {
  const members = await membersOf(tested);
  assertFaults(await send(tested, { body: { ...members, colour: 'red' } }), 'colour');
  const rawBody = JSON.stringify({ ...members, colour: 1 }).replace('"colour"', '"__proto__"');
  assertFaults(await send(tested, { rawBody }), '__proto__');
}

async function refusesOtherValues(tested: RouteUnderTest): Promise<void> {
  for (const rawBody of ['null', '[]', '"text"', '1', 'true'])
    assertOutcome(await send(tested, { rawBody }), '400 VALIDATION_ERROR');
}

async function refusesNoJson(tested: RouteUnderTest): Promise<void> {
  const noText = Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d);
  for (const rawBody of [...NO_JSON, noText]) assertOutcome(await send(tested, { rawBody }), '400 MALFORMED_JSON');
}

async function refusesOtherTypes(tested: RouteUnderTest): Promise<void> {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json; charset=latin1'])
    assertOutcome(
      await send(tested, { rawBody: '{}', headers: { 'content-type': type } }),
      '415 UNSUPPORTED_MEDIA_TYPE',
    );
  const encoded = await send(tested, { rawBody: '{}', headers: { 'content-encoding': 'br' } });
  assertOutcome(encoded, '415 UNSUPPORTED_MEDIA_TYPE');
}

async function refusesLargeBodies(tested: RouteUnderTest): Promise<void> {
  const { maxBytes } = tested.route.bodies.find((format) => format.matches('application/json'))!;
  const rawBody = JSON.stringify({ colour: 'x'.repeat(2 * maxBytes) });
  assertOutcome(await send(tested, { rawBody }), '413 PAYLOAD_TOO_LARGE');
}

async function refusesDeepBodies(tested: RouteUnderTest): Promise<void> {
  const answer = await send(tested, { rawBody: `{"colour":${'['.repeat(64)}${']'.repeat(64)}}` });
  assertOutcome(answer, '400 VALIDATION_ERROR');
  assert.ok(
    answer.issues.some(({ message }) => message === 'is nested deeper than 64 levels'),
    answer.text,
  );
}

async function namesUnstorable(tested: RouteUnderTest): Promise<void> {
  const members = await membersOf(tested);
  for (const path of textsIn(members)) {
    for (const character of ['\0', '\uD800']) {
      const answer = await send(tested, { body: replaceAt(members, path, `a${character}b`) });
      assertFaults(answer, path.join('.'));
    }
  }
}

/** Each odd value stands in another place of the body. */
async function survives(tested: RouteUnderTest): Promise<void> {
  const members = await membersOf(tested);
  const places = Object.keys(members);
  const spoilt = ODD_VALUES.map((value, at) => {
    const place = places[at % places.length];
    return place === undefined ? value : { ...members, [place]: value };
  });
  const bodies = [...ODD_JSON, ...spoilt.map((body) => JSON.stringify(body))];
  for (const rawBody of bodies) {
    const { status, text } = await send(tested, { rawBody });
    assert.ok(status < 500, `It answered ${status} to ${rawBody.slice(0, 200)}: ${text}`);
  }
}
