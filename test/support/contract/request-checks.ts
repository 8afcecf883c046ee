import assert from 'node:assert/strict';
import type { RequestOptions } from '../client.js';
import { type Path, replaceAt, textsIn } from '../leaves.js';
import { ODD_JSON, ODD_VALUES } from '../naughty.js';
import { takesJson } from '../sampled-routes.js';
import { assertFaults, assertIssue, assertOutcome, type Check, type RouteUnderTest } from './check.js';

/** Checks that a route refuses a request whose content is not as documented, and says where. */
export function requestChecks(tested: RouteUnderTest): Check[] {
  const { route } = tested;
  return [...(route.verb === 'HEAD' ? [] : queryChecks(tested)), ...(takesJson(route) ? memberChecks(tested) : [])];
}

/** Refusals of HEAD have no body, so that they cannot name a fault. */
function queryChecks(tested: RouteUnderTest): Check[] {
  const names = { name: 'names a query parameter that it does not know', run: () => namesUnknownParameter(tested) };
  const unstorable = {
    name: 'names a query parameter with characters that nothing can store',
    run: () => namesUnstorableParameter(tested),
  };
  return tested.ignoresParameters(tested.route) ? [unstorable] : [names, unstorable];
}

function memberChecks(tested: RouteUnderTest): Check[] {
  const toDo = tested.ignoresMembers(tested.route) ? 'ignores' : 'names';
  return [
    { name: `${toDo} a member of the body that it does not know`, run: () => knowsMembers(tested) },
    { name: 'names all faults of query and body at once', run: () => namesAllFaults(tested) },
    { name: 'names the places of characters that nothing can store', run: () => namesUnstorable(tested) },
    { name: 'refuses a member whose name nothing can store', run: () => refusesUnstorableNames(tested) },
    { name: 'survives odd values in its body', run: () => survives(tested) },
  ];
}

async function send({ route, routes, tenant }: RouteUnderTest, more: RequestOptions) {
  return routes.send(routes.callerOf(route, tenant), route, await routes.keptSample(route, tenant), more);
}

async function queryOf({ route, routes, tenant }: RouteUnderTest): Promise<Record<string, string>> {
  return (await routes.keptSample(route, tenant)).query ?? {};
}

async function membersOf({ route, routes, tenant }: RouteUnderTest): Promise<Record<string, unknown>> {
  const { body } = await routes.keptSample(route, tenant);
  return (body ?? {}) as Record<string, unknown>;
}

async function namesUnknownParameter(tested: RouteUnderTest): Promise<void> {
  assertFaults(await send(tested, { query: { ...(await queryOf(tested)), colour: 'red' } }), 'colour');
}

async function namesUnstorableParameter(tested: RouteUnderTest): Promise<void> {
  assertIssue(await send(tested, { query: { colour: 'a\0b' } }), 'colour', 'contains a NUL character');
}

/** A member with the name `__proto__` would change how objects work. */
async function knowsMembers(tested: RouteUnderTest): Promise<void> {
  const members = await membersOf(tested);
  for (const name of ['colour', '__proto__']) {
    const rawBody = JSON.stringify({ ...members, colour: 'red' }).replace('"colour"', `"${name}"`);
    const answer = await send(tested, { rawBody });
    if (tested.ignoresMembers(tested.route)) assertOutcome(answer, String(tested.route.status));
    else assertFaults(answer, name);
  }
}

async function namesAllFaults(tested: RouteUnderTest): Promise<void> {
  const isLenient = tested.ignoresMembers(tested.route);
  const body = { ...(await membersOf(tested)), size: 'L', form: isLenient ? '\0' : 'round' };
  const answer = await send(tested, { query: { ...(await queryOf(tested)), colour: 'red' }, body });
  assertFaults(answer, 'colour', ...(isLenient ? [] : ['size']), 'form');
}

const UNSTORABLE = {
  '\0': 'contains a NUL character',
  '\uD800': 'contains a lone surrogate, which is not valid Unicode',
};

async function namesUnstorable(tested: RouteUnderTest): Promise<void> {
  const members = await membersOf(tested);
  for (const path of [...textsIn(members), ['colour'], ['colour', 'shade', '0']]) {
    for (const [character, message] of Object.entries(UNSTORABLE)) {
      const answer = await send(tested, { body: withMember(members, path, `a${character}b`) });
      assertIssue(answer, path.join('.'), message);
    }
  }
}

function withMember(body: object, path: Path, value: string): unknown {
  const [first = '', ...rest] = path;
  if (first in body) return replaceAt(body, path, value);
  const member = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return { ...body, [first]: member };
}

async function refusesUnstorableNames(tested: RouteUnderTest): Promise<void> {
  const members = await membersOf(tested);
  for (const character of ['\0', '\uDFFF']) {
    const answer = await send(tested, { body: { ...members, [`a${character}b`]: 1 } });
    assertOutcome(answer, '400 VALIDATION_ERROR');
    assert.match(answer.text, /has a member whose name contains a (NUL|lone)/);
  }
}

const WITHIN_MS = 5_000;

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
    const begun = performance.now();
    const { status, text } = await send(tested, { rawBody });
    assert.ok(status < 500, `It answered ${status} to ${rawBody.slice(0, 200)}: ${text}`);
    assert.ok(performance.now() - begun < WITHIN_MS, `It took too long for ${rawBody.slice(0, 200)}`);
  }
}
