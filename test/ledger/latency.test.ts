import { DAY_MS } from '../../src/kernel/spans.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { openRequest } from '../support/wire.js';
import { aCall, at, BASE, EVER, ledgerPath, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

type Percentiles = Record<'p50' | 'p95' | 'p99', number>;

interface Interval {
  from: string;
  calls: number;
  failed: number;
  latencyMs: Percentiles | null;
  timeToFirstTokenMs: Percentiles | null;
}

interface Latency {
  interval: string;
  intervals: Interval[];
  hasMore?: boolean;
  groups?: { key: string; intervals: Interval[] }[];
}

const HOUR_S = 3_600;

type Query = Partial<Record<string, string>>;

const asked = ({ api, projectId }: Tenant, query: Query) =>
  api.get<Latency>(`${ledgerPath(projectId)}/latency`, { query: { ...EVER, ...query } });

async function latency(tenant: Tenant, query: Query) {
  const answer = await asked(tenant, query);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.intervals;
}

/** Three hours from a whole hour on. */
const THREE_HOURS = { fromDate: at(0), toDate: at(3 * HOUR_S), interval: 'hour' };

/** Calls of one hour with the latencies 1 to 100 ms. */
const hundred = (changes: object = {}) =>
  Array.from({ length: 100 }, (_, i) =>
    aCall({ timestamp: at(i), latencyMs: 100 - i, timeToFirstTokenMs: i % 2 ? null : i, ...changes }),
  );

const ONE = (value: number) => ({ p50: value, p95: value, p99: value });

it('has the percentiles of each hour, and null where there are no calls', async () => {
  const tenant = await makeTenant(service);
  const late = { timestamp: at(2 * HOUR_S), latencyMs: 7 };
  await written(tenant, ...hundred(), aCall({ ...late, status: 'failed' }));
  expect(await latency(tenant, THREE_HOURS)).toEqual([
    {
      from: at(0),
      calls: 100,
      failed: 0,
      latencyMs: { p50: 50, p95: 95, p99: 99 },
      timeToFirstTokenMs: { p50: 48, p95: 94, p99: 98 },
    },
    { from: at(HOUR_S), calls: 0, failed: 0, latencyMs: null, timeToFirstTokenMs: null },
    { from: at(2 * HOUR_S), calls: 1, failed: 1, latencyMs: ONE(7), timeToFirstTokenMs: null },
  ]);
});

it('has every day of the window in UTC, and only the calls in it', async () => {
  const tenant = await makeTenant(service);
  const day = Math.floor(BASE / DAY_MS) * DAY_MS;
  const time = (milliseconds: number) => new Date(day + milliseconds).toISOString();
  const calls = [-1, 0, DAY_MS - 1, DAY_MS, 2 * DAY_MS - 1, 2 * DAY_MS];
  await written(tenant, ...calls.map((each, i) => aCall({ timestamp: time(each), latencyMs: i })));
  const counts = async (from: number, to: number) =>
    (await latency(tenant, { fromDate: time(from), toDate: time(to) })).map((each) => [each.from, each.calls]);
  expect(await counts(0, 2 * DAY_MS)).toEqual([
    [time(0), 2],
    [time(DAY_MS), 2],
  ]);
  expect(await counts(1, 2 * DAY_MS - 1)).toEqual([
    [time(0), 1],
    [time(DAY_MS), 1],
  ]);
  expect(await counts(-1, 2 * DAY_MS + 1)).toEqual([
    [time(-DAY_MS), 1],
    [time(0), 2],
    [time(DAY_MS), 2],
    [time(2 * DAY_MS), 1],
  ]);
});

it('counts what the filters leave, as the list does', async () => {
  const tenant = await makeTenant(service);
  const calls = Array.from({ length: 60 }, (_, i) =>
    aCall({
      timestamp: at(i * 600),
      model: `m${i % 3}`,
      provider: `p${i % 2}`,
      agentName: `a${i % 4}`,
      source: ['runtime', 'guardrails'][i % 2],
      environment: ['production', 'staging'][i % 2],
      channel: ['api', 'voice'][i % 2],
      sessionId: `s${i % 5}`,
      status: i % 7 ? 'success' : 'failed',
      latencyMs: i * i,
    }),
  );
  await written(tenant, ...calls);
  const filters: Query[] = [
    {},
    { model: 'm1' },
    { provider: 'p0' },
    { name: 'a2' },
    { source: 'Guardrails' },
    { environment: 'staging' },
    { channel: 'voice' },
    { status: 'failed' },
    { sessionIds: 's1,s2' },
    { model: 'm1', sessionIds: 's1', status: 'success' },
    { model: 'nothing' },
  ];
  for (const filter of filters) {
    const query = { ...filter, fromDate: at(600), toDate: at(59 * 600), interval: 'hour' };
    const { interval: _, ...listed } = query;
    const { generations } = (await read(tenant, { ...listed, limit: '1000' })).body;
    const hours = await latency(tenant, query);
    const expected = hours.map(({ from }) => {
      const within = generations.filter(({ timestamp }) => timestamp.slice(0, 13) === from.slice(0, 13));
      const latencies = within.map((call) => call.latencyMs as number).toSorted((a, b) => a - b);
      const percentile = (part: number) => latencies[Math.ceil(part * latencies.length) - 1]!;
      return {
        from,
        calls: within.length,
        failed: within.filter(({ status }) => status === 'failed').length,
        latencyMs: within.length > 0 ? { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) } : null,
        timeToFirstTokenMs: null,
      };
    });
    expect({ filter, hours }).toEqual({ filter, hours: expected });
    expect(hours.reduce((sum, { calls: count }) => sum + count, 0)).toBe(generations.length);
  }
});

it('filters by more combinations of values than a statement lists', async () => {
  const tenant = await makeTenant(service);
  const calls = Array.from({ length: 1_200 }, (_, i) =>
    aCall({ timestamp: at(i), model: `model ${i}`, status: i % 3 ? 'success' : 'failed', latencyMs: i }),
  );
  await written(tenant, ...calls);
  const [hour] = await latency(tenant, { ...THREE_HOURS, source: 'runtime' });
  expect(hour).toMatchObject({ calls: 1_200, failed: 400, latencyMs: { p50: 599, p95: 1_139, p99: 1_187 } });
});

/** Calls of which some share each member, and whose costs order the groups. */
const various = (begin: number) =>
  Array.from({ length: 60 }, (_, i) =>
    aCall({
      timestamp: at(begin + i * 100),
      model: `m${i % 3}`,
      provider: `p${i % 2}`,
      agentName: `a${i % 4}`,
      source: ['runtime', 'guardrails'][i % 2],
      environment: ['production', 'staging', ''][i % 3],
      sessionId: `s${i % 5}`,
      status: i % 7 ? 'success' : 'failed',
      latencyMs: i * i,
      timeToFirstTokenMs: i % 3 === 1 ? null : i,
      cost: i % 60,
    }),
  );

const FILTERS = { model: 'model', provider: 'provider', agent: 'name', source: 'source', environment: 'environment' };
const GROUPS = Object.entries(FILTERS) as [keyof typeof FILTERS, string][];

it.each(GROUPS)('groups by %s have the percentiles that the filter %s finds', async (groupBy, filter) => {
  const tenant = await makeTenant(service);
  await written(tenant, ...various(0));
  const window = { ...THREE_HOURS, fromDate: at(150), toDate: at(5_850) };
  for (const narrowed of [window, { ...window, status: 'success' }, { ...window, sessionIds: 's1,s2' }]) {
    const { interval: _, ...summed } = narrowed;
    const { body } = await asked(tenant, { ...narrowed, groupBy });
    const { body: sums } = await tenant.api.get<{ groups: { key: string }[] }>(
      `${ledgerPath(tenant.projectId)}/summary`,
      { query: { ...summed, groupBy } },
    );
    expect(body.groups!.map(({ key }) => key)).toEqual(sums.groups.map(({ key }) => key));
    expect(body.intervals).toEqual(await latency(tenant, narrowed));
    for (const { key, intervals } of body.groups!) {
      // There is no filter for calls without an environment.
      if (key === '') continue;
      const found = await latency(tenant, { ...narrowed, [filter]: key });
      expect({ key, intervals }).toEqual({ key, intervals: found.filter(({ calls }) => calls > 0) });
    }
  }
});

it('has the groups with the highest cost, and says whether there are more', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, ...Array.from({ length: 22 }, (_, i) => aCall({ timestamp: at(0), model: `m${i}`, cost: i })));
  const grouped = async (query: Query) => {
    const { hasMore, groups } = (await asked(tenant, { ...THREE_HOURS, groupBy: 'model', ...query })).body;
    return [hasMore, groups!.map(({ key }) => key)];
  };
  expect(await grouped({})).toEqual([true, Array.from({ length: 20 }, (_, i) => `m${21 - i}`)]);
  expect(await grouped({ limit: '2' })).toEqual([true, ['m21', 'm20']]);
  expect(await grouped({ limit: '2', model: 'm4' })).toEqual([false, ['m4']]);
  expect((await asked(tenant, THREE_HOURS)).body).not.toHaveProperty('groups');
});

it('never counts the calls of another project', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  await written(theirs, ...hundred({ status: 'failed' }));
  await written(mine, aCall({ timestamp: at(5), latencyMs: 3, timeToFirstTokenMs: 2 }));
  expect((await latency(mine, THREE_HOURS))[0]).toEqual({
    from: at(0),
    calls: 1,
    failed: 0,
    latencyMs: ONE(3),
    timeToFirstTokenMs: ONE(2),
  });
  const answer = await mine.api.get(`${ledgerPath(theirs.projectId)}/latency`, { query: EVER });
  expect(answer.outcome).toBe('404 PROJECT_NOT_FOUND');
});

describe('of all projects', () => {
  const ofAll = (query: Query) =>
    administratorOf(service).get<Latency>('/api/admin/v1/llm-ledger/latency', { query: { ...EVER, ...query } });
  // No other test writes at this time.
  const begin = -100 * 24 * HOUR_S;
  const window = { fromDate: at(begin), toDate: at(begin + 2 * HOUR_S), interval: 'hour' };

  it('is computed from the calls of each', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    const [first, second] = [{ timestamp: at(begin) }, { timestamp: at(begin + HOUR_S) }];
    await written(mine, ...[1, 2, 3].map((latencyMs) => aCall({ ...first, latencyMs })));
    await written(theirs, aCall({ ...first, latencyMs: 9, timeToFirstTokenMs: 4, model: 'b' }));
    await written(theirs, aCall({ ...second, latencyMs: 7, status: 'failed' }), aCall({ timestamp: window.toDate }));
    const [ofFirst, ofSecond] = (await ofAll(window)).body.intervals;
    const times = { latencyMs: { p50: 2, p95: 9, p99: 9 }, timeToFirstTokenMs: ONE(4) };
    expect(ofFirst).toEqual({ from: at(begin), calls: 4, failed: 0, ...times });
    expect(ofSecond).toEqual({
      from: second.timestamp,
      calls: 1,
      failed: 1,
      latencyMs: ONE(7),
      timeToFirstTokenMs: null,
    });
    const filtered = (await ofAll({ ...window, model: 'b' })).body.intervals;
    expect(filtered).toMatchObject([
      { calls: 1, latencyMs: ONE(9) },
      { calls: 0, latencyMs: null },
    ]);
  });

  it('has the percentiles of each group, over all projects', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    const early = begin - 10 * HOUR_S;
    const query = { fromDate: at(early), toDate: at(early + 2 * HOUR_S), interval: 'hour', groupBy: 'model' };
    await written(
      mine,
      ...[1, 2, 3].map((latencyMs) => aCall({ timestamp: at(early), model: 'a', latencyMs, cost: 1 })),
    );
    await written(theirs, aCall({ timestamp: at(early), model: 'a', latencyMs: 9, timeToFirstTokenMs: 4 }));
    await written(theirs, aCall({ timestamp: at(early + HOUR_S), model: 'b', latencyMs: 7, status: 'failed' }));
    const times = { latencyMs: { p50: 2, p95: 9, p99: 9 }, timeToFirstTokenMs: ONE(4) };
    const a = { key: 'a', intervals: [{ from: at(early), calls: 4, failed: 0, ...times }] };
    const seven = { latencyMs: ONE(7), timeToFirstTokenMs: null };
    const b = { key: 'b', intervals: [{ from: at(early + HOUR_S), calls: 1, failed: 1, ...seven }] };
    expect((await ofAll(query)).body).toMatchObject({ hasMore: false, groups: [a, b] });
    expect((await ofAll({ ...query, limit: '1' })).body).toMatchObject({ hasMore: true, groups: [a] });
    expect((await ofAll({ ...query, status: 'failed' })).body).toMatchObject({ groups: [b] });
  });

  it.each([
    [{ interval: 'minute' }, '400 VALIDATION_ERROR'],
    [{ groupBy: 'project' }, '400 VALIDATION_ERROR'],
    [{ sessionIds: 'a' }, '400 VALIDATION_ERROR'],
    [{ fromDate: EVER.toDate }, '400 VALIDATION_ERROR'],
    [{ model: '' }, '400 INVALID_FILTER'],
    [{ status: 'x' }, '400 INVALID_STATUS'],
    [{ interval: 'hour' }, '400 TOO_MANY_INTERVALS'],
  ])('refuses %j', async (query, outcome) => {
    expect((await ofAll(query)).outcome).toBe(outcome);
  });
});

it('has no time to first token of calls that an earlier release wrote', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, aCall({ timestamp: at(5), latencyMs: 3, timeToFirstTokenMs: 2 }));
  await service.database.rows('update ledger_row set first_token_ms = null where project_id = $1', [tenant.projectId]);
  expect((await latency(tenant, THREE_HOURS))[0]).toMatchObject({ latencyMs: ONE(3), timeToFirstTokenMs: null });
});

it.each([
  [{ interval: 'minute' }, '400 VALIDATION_ERROR'],
  [{ groupBy: 'session' }, '400 VALIDATION_ERROR'],
  [{ groupBy: 'model', limit: '21' }, '400 VALIDATION_ERROR'],
  [{ fromDate: EVER.toDate }, '400 VALIDATION_ERROR'],
  [{ model: '' }, '400 INVALID_FILTER'],
  [{ status: 'x' }, '400 INVALID_STATUS'],
  [{ interval: 'hour' }, '400 TOO_MANY_INTERVALS'],
])('refuses %j', async (query, outcome) => {
  expect((await asked(await makeTenant(service), query)).outcome).toBe(outcome);
});

it('answers up to a thousand intervals', async () => {
  const tenant = await makeTenant(service);
  const hours = (count: number) => asked(tenant, { ...THREE_HOURS, fromDate: at(0), toDate: at(count * HOUR_S) });
  expect((await hours(1_000)).body.intervals).toHaveLength(1_000);
  expect((await hours(1_001)).outcome).toBe('400 TOO_MANY_INTERVALS');
  expect((await hours(1_000 + 1 / HOUR_S)).text).toContain('has 1001 intervals');
});

it('is cancelled in the database when its client leaves', async () => {
  const tenant = await makeTenant(service);
  const path = `${ledgerPath(tenant.projectId)}/latency?${new URLSearchParams(EVER).toString()}`;
  const lock = await service.database.openTransaction('lock table ledger_row in access exclusive mode');
  const waiting = async () =>
    (await service.database.waiting()).filter((query) => query.includes('percentile_disc')).length;
  const running = openRequest(service.url, { verb: 'GET', path, key: tenant.key, begin: '' });
  running.finish();
  await eventually(waiting);
  running.abandon();
  await eventually(waiting, (count) => count === 0, 1_500);
  await lock.commit();
  expect(await latency(tenant, THREE_HOURS)).toHaveLength(3);
});
