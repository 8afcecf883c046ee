import assert from 'node:assert/strict';
import type { RequestOptions } from '../client.js';
import { NO_JSON } from '../naughty.js';
import { isAdministration, pathOf, takesJson } from '../sampled-routes.js';
import { openRequest } from '../wire.js';
import { assertIssue, assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route refuses a body that is no JSON object of its size, before it looks at the members. */
export function bodyChecks(tested: RouteUnderTest): Check[] {
  if (!takesJson(tested.route)) return [];
  return [
    { name: 'refuses a body that is no object', run: () => refusesOtherValues(tested) },
    { name: 'refuses a body that is no JSON', run: () => refusesNoJson(tested) },
    { name: 'refuses a body of another type', run: () => refusesOtherTypes(tested) },
    { name: 'refuses a body in an encoding that it does not take', run: () => refusesEncodings(tested) },
    { name: 'refuses a body over its limit, however it is sent', run: () => refusesLargeBodies(tested) },
    { name: 'takes a body up to its limit', run: () => takesUpToLimit(tested) },
    { name: 'reports the size before the type, and the type before invalid JSON', run: () => reportsInOrder(tested) },
    { name: 'refuses nesting past 64 levels, and no less', run: () => refusesDeepBodies(tested) },
  ];
}

async function send({ route, routes, tenant }: RouteUnderTest, more: RequestOptions) {
  return routes.send(routes.callerOf(route, tenant), route, await routes.keptSample(route, tenant), more);
}

async function assertAll(tested: RouteUnderTest, requests: RequestOptions[], outcome: string): Promise<void> {
  await Promise.all(requests.map(async (more) => assertOutcome(await send(tested, more), outcome)));
}

async function refusesOtherValues(tested: RouteUnderTest): Promise<void> {
  const bodies = ['null', '[]', '"text"', '1', 'true'].map((rawBody) => ({ rawBody }));
  await assertAll(tested, bodies, '400 VALIDATION_ERROR');
}

async function refusesNoJson(tested: RouteUnderTest): Promise<void> {
  const noText = Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d);
  const bodies = [...NO_JSON, noText].map((rawBody) => ({ rawBody }));
  await assertAll(tested, bodies, '400 MALFORMED_JSON');
}

const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'json',
];

async function refusesOtherTypes(tested: RouteUnderTest): Promise<void> {
  const requests = OTHER_TYPES.map((type) => ({ rawBody: '{}', headers: { 'content-type': type } }));
  await assertAll(tested, requests, '415 UNSUPPORTED_MEDIA_TYPE');
}

async function refusesEncodings(tested: RouteUnderTest): Promise<void> {
  const encodings = jsonOf(tested).takesGzip ? ['br', 'deflate', 'gzip, gzip'] : ['gzip', 'br'];
  const requests = encodings.map((encoding) => ({ rawBody: '{}', headers: { 'content-encoding': encoding } }));
  await assertAll(tested, requests, '415 UNSUPPORTED_MEDIA_TYPE');
}

const jsonOf = ({ route }: RouteUnderTest) => route.bodies.find((format) => format.matches('application/json'))!;

/** The client receives the answer also while it sends more. */
async function refusesLargeBodies(tested: RouteUnderTest): Promise<void> {
  const { route, routes, tenant } = tested;
  const rawBody = JSON.stringify({ colour: 'x'.repeat(2 * jsonOf(tested).maxBytes) });
  assertOutcome(await send(tested, { rawBody }), '413 PAYLOAD_TOO_LARGE');

  const request = await routes.keptSample(route, tenant);
  const key = isAdministration(route) ? routes.service.adminKey : tenant.key;
  const headers = { 'x-api-key': key, ...request.headers };
  const options = { verb: route.verb, path: pathOf(route, request), headers, begin: rawBody };
  const chunked = openRequest(routes.service.url, options);
  chunked.finish();
  assertOutcome(await chunked.answer, '413 PAYLOAD_TOO_LARGE');
}

async function takesUpToLimit(tested: RouteUnderTest): Promise<void> {
  const around = JSON.stringify({ colour: '' }).length;
  const rawBody = JSON.stringify({ colour: 'x'.repeat(jsonOf(tested).maxBytes - around) });
  assertRead(tested, (await send(tested, { rawBody })).outcome);
}

async function reportsInOrder(tested: RouteUnderTest): Promise<void> {
  const headers = { 'content-type': 'text/plain' };
  const most = Math.max(...tested.route.bodies.map(({ maxBytes }) => maxBytes));
  const tooLarge = await send(tested, { rawBody: '['.repeat(most + 1), headers });
  assertOutcome(tooLarge, '413 PAYLOAD_TOO_LARGE');
  assertOutcome(await send(tested, { rawBody: '[', headers }), '415 UNSUPPORTED_MEDIA_TYPE');
  assertOutcome(await send(tested, { rawBody: '[', query: { colour: 'red' } }), '400 MALFORMED_JSON');
}

async function refusesDeepBodies(tested: RouteUnderTest): Promise<void> {
  for (const levels of [65, 100_000])
    assertIssue(await send(tested, { rawBody: nested(levels) }), /^colour/, 'is nested deeper than 64 levels');
  const allowed = await send(tested, { rawBody: nested(64) });
  assertRead(tested, allowed.outcome);
  assert.doesNotMatch(allowed.text, /deeper/);
}

const nested = (levels: number) => `{"colour":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

/** A body whose only member is unknown is read. It is valid where unknown members are ignored and no other is needed. */
function assertRead({ route, ignoresMembers }: RouteUnderTest, outcome: string): void {
  const expected = ignoresMembers(route) ? ['400 VALIDATION_ERROR', String(route.status)] : ['400 VALIDATION_ERROR'];
  assert.ok(expected.includes(outcome), `It answered ${outcome}.`);
}
