import fc, { type Arbitrary } from 'fast-check';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { makeTenant } from '../support/actors.js';
import type { RequestOptions } from '../support/client.js';
import { illFormed } from '../support/odd-ids.js';
import { replaceAt, textsIn } from '../support/leaves.js';
import { NAUGHTY_STRINGS, NO_JSON, ODD_JSON, ODD_VALUES } from '../support/naughty.js';
import { nameOf, parametersOf, RouteSuite, takesJson } from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import { spoilt } from '../support/spoil.js';
import { Arbitraries } from './arbitraries.js';
import { forEachOf, report, SLACK, startAttacked } from './attacked.js';
import { ApiDocument } from './document.js';

/** The number of bodies and queries that fast-check makes from each operation's schemas, and its time for them. */
const CASES = Number(process.env.ATTACK_CASES ?? 50);
const MADE_FOR_MS = 120_000;
/** Fast-check names both when a test fails. They repeat the failure, if `-t` names that test. */
const SEED = Number(process.env.ATTACK_SEED ?? Date.now());
const { ATTACK_PATH: PATH } = process.env;
const WITHIN_MS = 5_000 * SLACK;
const AT_ONCE = 4;

/** The test client also checks that no answer reveals internals of the service, or has an undeclared code. */
const service = await startAttacked({ API_KEYS_PER_SCOPE: '5000' });
const suite = await RouteSuite.of(service);
const document = await ApiDocument.of(service);
const tenant = await makeTenant(service);
// All samples are made before the first attack, because a valid body of fast-check may rename or change their rows.
for (const route of suite.routes) await suite.keptSample(route, tenant);
const within = new Arbitraries(document, false);
const around = new Arbitraries(document, true);
/** The request whose answer took longest. */
let slowest = { ms: 0, what: '' };
let sent = 0;
afterAll(async () => {
  report('Seed of the fuzz', `${SEED}: ATTACK_SEED=${SEED} makes the same again`);
  report('Requests of the fuzz', `${sent}, the slowest answered after ${Math.round(slowest.ms)} ms: ${slowest.what}`);
  await service.stop();
});

afterEach(() => service.expectLive());

type Attack = RequestOptions & { params?: Record<string, string> };

async function survives(route: IndexedRoute, attacks: Iterable<Attack>): Promise<void> {
  await forEachOf([...attacks], AT_ONCE, (attack) => survivesOne(route, attack));
}

/** Sends requests that fast-check makes. It shrinks a failure, and prints the seed and the path that repeat it. */
async function survivesMade(route: IndexedRoute, numRuns: number, attacks: Arbitrary<Attack>): Promise<void> {
  const property = fc.asyncProperty(attacks, (attack) => survivesOne(route, attack));
  const plugins = [fc.interruptAfterTimeLimit(MADE_FOR_MS)];
  await fc.assert(property, { numRuns, seed: SEED, plugins, ...(PATH !== undefined && { path: PATH }) });
}

async function survivesOne(route: IndexedRoute, { params, ...more }: Attack): Promise<void> {
  const kept = await suite.keptSample(route, tenant);
  const begun = performance.now();
  const request: RouteRequest = params ? { ...kept, params: { ...kept.params, ...params } } : kept;
  const send = () => suite.send(suite.callerOf(route, tenant), route, request, more);
  let { outcome, status, text } = await send();
  // Several of these requests change one row at the same moment. The answer BUSY says to send the request again.
  for (let times = 0; outcome === '503 BUSY' && times < AT_ONCE; times += 1) ({ outcome, status, text } = await send());
  const ms = performance.now() - begun;
  const what = shown(route, { params, ...more });
  sent += 1;
  if (ms > slowest.ms) slowest = { ms, what };
  if (status >= 500 || ms > WITHIN_MS) throw new Error(`${status} after ${Math.round(ms)} ms: ${what} ${text}`);
}

const shown = (route: IndexedRoute, attack: object) => `${nameOf(route)} ${JSON.stringify(attack).slice(0, 300)}`;

describe.each(suite.where(takesJson))('%s', (_, route) => {
  it('survives every naughty string in every text, and every odd value in every member', async () => {
    const { body = {} } = await suite.keptSample(route, tenant);
    const schema = document.bodyOf(route);
    const declared = schema ? document.membersOf(schema).map(([name]) => name) : [];
    const members = [...new Set([...Object.keys(body as object), ...declared])];
    const inner = textsIn(body).filter(({ length }) => length > 1);
    await survives(route, [
      ...inner.flatMap((path) => NAUGHTY_STRINGS.map((text) => ({ body: replaceAt(body, path, text) }))),
      ...members.flatMap((name) => ODD_VALUES.map((value) => ({ body: { ...(body as object), [name]: value } }))),
    ]);
  });

  it('survives bodies that are not JSON, and odd JSON', async () => {
    await survives(
      route,
      [...NO_JSON, ...ODD_JSON].map((rawBody) => ({ rawBody })),
    );
  });

  it(`survives ${CASES} bodies of its schema, ${CASES} around it and ${CASES} spoilt ones`, async () => {
    const schema = document.bodyOf(route);
    const { body } = await suite.keptSample(route, tenant);
    const made = [...(schema ? [within.of(schema), around.of(schema)] : []), spoilt(body)];
    const attacks = fc.oneof(...made).map((one): Attack => ({ body: one }));
    await survivesMade(route, made.length * CASES, attacks);
  });
});

describe.each(suite.where((route) => parametersOf(route).length > 0))('%s', (_, route) => {
  it('survives every naughty string in its path', async () => {
    const { params = {} } = await suite.keptSample(route, tenant);
    const odd = (name: string) => [...NAUGHTY_STRINGS, ...illFormed(params[name]!)];
    await survives(
      route,
      parametersOf(route).flatMap((name) => odd(name).map((value) => ({ params: { [name]: value } }))),
    );
  });
});

describe.each(suite.where((route) => document.queryOf(route).length > 0))('%s', (_, route) => {
  it('survives every naughty string in every parameter, and queries of its schema and around it', async () => {
    const { query = {} } = await suite.keptSample(route, tenant);
    const parameters = document.queryOf(route);
    const each = parameters.flatMap(([name]) =>
      [...NAUGHTY_STRINGS, '', '0', '-1', '1e9', '9'.repeat(400), 'true', '[]', '{}'].map((value) => ({
        query: { ...query, [name]: value },
      })),
    );
    await survives(route, [...each, { query: { [parameters[0]![0]]: Array.from({ length: 500 }, () => '1') } }]);
    const made = Object.fromEntries(parameters.map(([name, schema]) => [name, around.of(schema).map(asText)]));
    const queries = fc.record(made, { requiredKeys: [] }) as Arbitrary<Record<string, string>>;
    await survivesMade(
      route,
      CASES,
      queries.map((query) => ({ query })),
    );
  });
});

/** Shortens a value, because the address of a request is limited together with its headers. */
const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 8_000);
