import { makeTenant } from '../support/actors.js';
import { replaceAt, textsIn } from '../support/leaves.js';
import { nameOf, parametersOf, RouteSuite, takesJson } from '../support/route-suite.js';
import type { RouteRequest } from '../support/samples.js';
import type { RequestOptions } from '../support/client.js';
import type { IndexedRoute } from '../../src/platform/route/route-index.js';
import { forEachOf, report, SLACK, startAttacked } from './attacked.js';
import { ApiDocument } from './document.js';

/** If a text were executed as SQL, its request would wait for this long. */
const SLEEP_SECONDS = 30;
const WITHIN_MS = 5_000 * SLACK;
const AT_ONCE = 4;

const SLEEPS = [
  `' or pg_sleep(${SLEEP_SECONDS}) is null --`,
  `'; select pg_sleep(${SLEEP_SECONDS}); --`,
  `1; select pg_sleep(${SLEEP_SECONDS}) --`,
  `1 or exists (select pg_sleep(${SLEEP_SECONDS}))`,
  `(select pg_sleep(${SLEEP_SECONDS}))`,
  `',(select pg_sleep(${SLEEP_SECONDS})::text),'`,
  `") or pg_sleep(${SLEEP_SECONDS}) is null --`,
  `\\'; select pg_sleep(${SLEEP_SECONDS}); --`,
  `$$;select pg_sleep(${SLEEP_SECONDS});$$`,
  `name asc, (select pg_sleep(${SLEEP_SECONDS}))`,
  `{"$where":"sleep(${SLEEP_SECONDS}000)"}`,
  `%' or pg_sleep(${SLEEP_SECONDS}) is null or '%'='`,
];

const service = await startAttacked({ API_KEYS_PER_SCOPE: '5000' });
const suite = await RouteSuite.of(service);
const document = await ApiDocument.of(service);
const tenant = await makeTenant(service);
let sent = 0;
let longestMs = 0;
afterAll(async () => {
  report('Texts that would sleep as SQL', `${sent}, the longest answer took ${Math.round(longestMs)} ms`);
  await service.stop();
});
afterEach(() => service.expectLive());

type Attack = RequestOptions & Pick<RouteRequest, 'params'>;

async function sleepsNever(route: IndexedRoute, attacks: Attack[]): Promise<void> {
  const kept = await suite.keptSample(route, tenant);
  await forEachOf(attacks, AT_ONCE, async ({ params, ...more }) => {
    const begun = performance.now();
    const { status } = await suite.send(
      suite.callerOf(route, tenant),
      route,
      { ...kept, ...(params && { params }) },
      more,
    );
    const ms = performance.now() - begun;
    sent += 1;
    longestMs = Math.max(longestMs, ms);
    if (status >= 500 || ms > WITHIN_MS) {
      throw new Error(
        `${nameOf(route)} answered ${status} after ${Math.round(ms)} ms: ${JSON.stringify({ params, ...more })}`,
      );
    }
  });
}

it.each(suite.where((route) => document.queryOf(route).length > 0))(
  'no text is executed as SQL in a filter: %s',
  async (_, route) => {
    const { query = {} } = await suite.keptSample(route, tenant);
    const names = document.queryOf(route).map(([name]) => name);
    await sleepsNever(
      route,
      names.flatMap((name) => SLEEPS.map((text) => ({ query: { ...query, [name]: text } }))),
    );
  },
);

it.each(suite.where((route) => parametersOf(route).length > 0))(
  'no text is executed as SQL in a path: %s',
  async (_, route) => {
    const { params = {} } = await suite.keptSample(route, tenant);
    await sleepsNever(
      route,
      parametersOf(route).flatMap((name) => SLEEPS.map((text) => ({ params: { ...params, [name]: text } }))),
    );
  },
);

it.each(suite.where(takesJson))('no text is executed as SQL in a body: %s', async (_, route) => {
  const { body } = await suite.keptSample(route, tenant);
  await sleepsNever(
    route,
    textsIn(body).flatMap((path) => SLEEPS.map((text) => ({ body: replaceAt(body, path, text) }))),
  );
});
