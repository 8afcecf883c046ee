import { makeTenant, type Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, type Call, EVER, ledgerPath, read, written } from './calls.js';

const HOUR_S = 3_600;

interface Interval {
  key: string;
  calls: number;
  failed: number;
  totalTokens: number;
  cost: number;
  averageLatencyMs: number;
}

interface Sums {
  groups: { key: string; intervals?: Interval[] }[];
}

const service = await startService();
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const FIELDS = {
  model: (call: Call) => call.model,
  provider: (call: Call) => call.provider,
  agent: (call: Call) => call.agentName,
  source: (call: Call) => call.source,
  environment: (call: Call) => call.environment,
};

/** Begins and ends within an hour. */
const WINDOW = { fromDate: at(-7 * HOUR_S - 1), toDate: at(90 * HOUR_S + 2) };

const summary = ({ api, projectId }: Tenant, query: Partial<Record<string, string>>): Promise<Answer<Sums>> =>
  api.get<Sums>(`${ledgerPath(projectId)}/summary`, { query: { ...WINDOW, ...query } });

beforeAll(async () => {
  const various = Array.from({ length: 120 }, (_, i) =>
    aCall({
      timestamp: at(i * 2 * HOUR_S - 60 * HOUR_S + i),
      model: `m${i % 3}`,
      provider: `p${i % 2}`,
      agentName: `a${i % 4}`,
      source: ['runtime', 'evals'][i % 2],
      sessionId: `s${i % 5}`,
      environment: ['production', 'staging', ''][i % 3],
      status: i % 7 ? 'success' : 'failed',
      inputTokens: i,
      latencyMs: i * 10,
      cost: i / 1000,
    }),
  );
  await written(tenant, ...various);
});

/** Adds up the calls of each hour or day, which the first letters of a time name. */
function addedUp(calls: readonly Call[], keyOf: (call: Call) => string) {
  const groups = Object.entries(Object.groupBy(calls, keyOf)).sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([key, members = []]) => {
    const sum = (name: string) => members.reduce((total, call) => total + (call[name] as number), 0);
    return {
      key,
      calls: members.length,
      failed: members.filter(({ status }) => status === 'failed').length,
      totalTokens: sum('inputTokens'),
      cost: expect.closeTo(sum('cost'), 9) as number,
      averageLatencyMs: Math.round(sum('latencyMs') / members.length),
    };
  });
}

const KEYS = {
  hour: ({ timestamp }: Call) => `${new Date(timestamp).toISOString().slice(0, 13)}:00Z`,
  day: ({ timestamp }: Call) => new Date(timestamp).toISOString().slice(0, 10),
};

it.each(Object.keys(FIELDS) as (keyof typeof FIELDS)[])('groups by %s have sums by hour and day', async (groupBy) => {
  for (const query of [{}, { status: 'failed' }, { sessionIds: 's1,s2' }, { model: 'm1', ...EVER }]) {
    const calls = (await read(tenant, { ...WINDOW, ...query, limit: '1000' })).body.generations;
    for (const interval of 'fromDate' in query ? (['day'] as const) : (['hour', 'day'] as const)) {
      const { groups } = (await summary(tenant, { ...query, groupBy, interval })).body;
      expect(groups.length).toBeGreaterThan(0);
      for (const { key, intervals } of groups) {
        const own = calls.filter((call) => FIELDS[groupBy](call) === key);
        expect(intervals).toMatchObject(addedUp(own, KEYS[interval]));
      }
    }
  }
});

it('only the 20 groups with the highest cost have sums by hour or day', async () => {
  const other = await makeTenant(service);
  await written(other, ...Array.from({ length: 22 }, (_, i) => aCall({ timestamp: at(0), model: `m${i}`, cost: i })));
  const { groups } = (await summary(other, { groupBy: 'model', interval: 'day' })).body;
  expect(groups.map(({ intervals }) => intervals?.length)).toEqual([
    ...Array<number>(20).fill(1),
    undefined,
    undefined,
  ]);
  const few = (await summary(other, { groupBy: 'model', interval: 'day', limit: '1' })).body.groups;
  expect(few).toMatchObject([{ key: 'm21', intervals: [{ calls: 1, cost: 21 }] }]);
});

it.each([
  [{ groupBy: 'day', interval: 'hour' }, '400 VALIDATION_ERROR'],
  [{ groupBy: 'session', interval: 'hour' }, '400 VALIDATION_ERROR'],
  [{ groupBy: 'model', interval: 'week' }, '400 VALIDATION_ERROR'],
  [{ groupBy: 'model', interval: 'hour', ...EVER }, '400 TOO_MANY_INTERVALS'],
])('refuses %j', async (query, outcome) => {
  expect((await summary(tenant, query)).outcome).toBe(outcome);
});
