import { administratorOf, makeTenant } from '../support/actors.js';
import type { RequestOptions } from '../support/client.js';
import { replaceAt, textsIn } from '../support/leaves.js';
import { NAUGHTY_STRINGS, NO_JSON, ODD_JSON } from '../support/naughty.js';
import { RouteSuite, takesJson } from '../support/route-suite.js';
import { startService } from '../support/service.js';

/** Every answer is checked by the client as well: none tells anything of the inside. */
const service = await startService({ API_KEYS_PER_SCOPE: '5000' });
const suite = await RouteSuite.of(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const GENERATED = 40;
const WITHIN_MS = 5_000;

/** The same numbers in every run: what fails once can be looked at again. */
function dice(seed: number): <T>(faces: readonly T[]) => T {
  let state = seed;
  return (faces) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return faces[Math.floor((state / 2 ** 32) * faces.length)]!;
  };
}

const VALUES: unknown[] = [
  ...NAUGHTY_STRINGS,
  ...['', ' ', '\0', '\uD800', 'x'.repeat(100_000), '\n'],
  ...[0, -1, 1.5, 1e21, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 63],
  ...[true, false, null, [], {}, [[]], [null], { a: { b: {} } }, Array.from({ length: 2000 }, () => 0)],
];

/** One body for each seed: the good one with one or more of its places spoilt. */
function spoil(body: unknown, seed: number): unknown {
  const roll = dice(seed);
  const good = (body ?? {}) as Record<string, unknown>;
  const places = [
    ...Object.keys(good).map((name) => [name]),
    ...textsIn(good),
    ...NAUGHTY_STRINGS.map((name) => [name]),
  ];
  let spoilt: unknown = good;
  for (const _time of Array.from({ length: roll([1, 1, 2, 5]) })) {
    const [first = '', ...rest] = roll(places);
    const path = first in (spoilt as object) ? [first, ...rest] : [first];
    try {
      spoilt = replaceAt(spoilt, path, roll(VALUES));
    } catch {
      // A place that an earlier turn has taken away.
    }
  }
  return roll([spoilt, spoilt, spoilt, [spoilt], { body: spoilt }]);
}

describe.each(suite.where(takesJson))('%s', (_, route) => {
  const send = async (request: Parameters<typeof suite.send>[2], options: RequestOptions) => {
    const begun = performance.now();
    const { status } = await suite.send(suite.callerOf(route, tenant), route, request, options);
    return { ...options, isFault: status >= 500, isLate: performance.now() - begun > WITHIN_MS };
  };

  it('refuses whatever is no JSON', async () => {
    const request = await suite.keptSample(route, tenant);
    const answers = NO_JSON.map(async (rawBody) => {
      const { outcome } = await suite.send(suite.callerOf(route, tenant), route, request, { rawBody });
      return { rawBody, outcome };
    });
    expect(await Promise.all(answers)).toEqual(NO_JSON.map((rawBody) => ({ rawBody, outcome: '400 MALFORMED_JSON' })));
  });

  it('survives whatever JSON there is', async () => {
    const request = await suite.keptSample(route, tenant);
    for (const rawBody of ODD_JSON) {
      expect(await send(request, { rawBody })).toMatchObject({ isFault: false, isLate: false });
    }
  });

  it(`survives ${GENERATED} spoilt bodies`, async () => {
    const request = await suite.keptSample(route, tenant);
    for (let seed = 1; seed <= GENERATED; seed += 1) {
      const body = spoil(request.body, seed);
      expect(await send(request, { body })).toMatchObject({ isFault: false, isLate: false });
    }
  });
});

it.each(NAUGHTY_STRINGS)('keeps the name %j as it is', async (name) => {
  const admin = administratorOf(service);
  const made = await admin.post<{ data: { projectId: string } }>('/api/admin/v1/projects', { name });
  // Nothing that people see, or something that makes them see what is not there: refused.
  if (made.status === 400) return expect(/\p{C}|\p{Zl}|\p{Zp}|^\p{Z}*$/u.test(name)).toBe(true);
  expect(made.outcome).toBe('201');
  const { body } = await admin.get<{ data: { name: string } }>(`/api/admin/v1/projects/${made.body.data.projectId}`);
  expect(body.data.name.normalize()).toBe(name.trim().normalize());
});
