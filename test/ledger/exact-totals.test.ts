import { DAY_MS, HOUR_MS } from '../../src/kernel/spans.js';
import { dropDueRows } from '../../src/modules/ledger/ledger.sweeps.js';
import { Tidying } from '../../src/modules/ledger/rollup/tidying.service.js';
import { Statements } from '../../src/platform/database/statements.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aCall, EVER, ledgerPath, read, written } from './calls.js';

const service = await startService();
const tidying = service.app.get(Tidying);
const statements = service.app.get(Statements);
afterAll(() => service.stop());

const NOW = Date.now();

const MODELS = ['a', 'b', 'c'];
const STATUSES = ['success', 'failed'];
const CHANNELS = ['', 'api', 'voice'];
const SESSIONS = ['s1', 's2', 's3', 's4'];

function dice(seed: number) {
  let state = seed;
  const roll = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return { roll, of: <T>(faces: readonly T[]): T => faces[Math.floor(roll() * faces.length)]! };
}

type Dice = ReturnType<typeof dice>;

/** Mostly times of the last days, some of months ago, and some exactly at the bounds of hours and days. */
function aTime({ roll, of }: Dice): number {
  const back = of([HOUR_MS, DAY_MS, 3 * DAY_MS, 70 * DAY_MS]) * roll();
  const unit = of([1, 1, 1, HOUR_MS, DAY_MS]);
  return Math.floor((NOW - back) / unit) * unit;
}

function randomCalls(chance: Dice, count: number) {
  return Array.from({ length: count }, () =>
    aCall({
      timestamp: new Date(aTime(chance)).toISOString(),
      model: chance.of(MODELS),
      status: chance.of(STATUSES),
      channel: chance.of(CHANNELS),
      sessionId: chance.of(SESSIONS),
      environment: 'production',
      inputTokens: Math.floor(chance.roll() * 100),
      cost: Math.floor(chance.roll() * 100) / 1000,
    }),
  );
}

function randomQuery({ roll, of }: Dice) {
  const [from, to] = [aTime({ roll, of }), aTime({ roll, of }) + of([1, HOUR_MS, DAY_MS])].toSorted((a, b) => a - b);
  const maybe = (name: string, values: readonly string[]) =>
    roll() < 0.4 ? { [name]: of(values.filter(Boolean)) } : {};
  return {
    fromDate: new Date(from!).toISOString(),
    toDate: new Date(to === from ? to! + 1 : to!).toISOString(),
    ...maybe('model', [...MODELS, 'nothing']),
    ...maybe('status', STATUSES),
    ...maybe('channel', CHANNELS),
    ...(roll() < 0.15 ? { sessionIds: of(SESSIONS) } : {}),
  };
}

/** Counts from the JSON of the rows alone, without sums or columns. */
async function countByHand({ projectId }: Tenant, query: Record<string, string>): Promise<number> {
  const names = { model: 'model', status: 'status', channel: 'channel', sessionIds: 'sessionId' };
  const conditions = Object.entries(names).filter(([name]) => name in query);
  const [row] = await service.database.rows<{ count: number }>(
    `select count(*)::integer as count from (select (doc || '}')::json as call, project_id, ts from ledger_row) r
     where project_id = $1 and ts >= $2 and ts < $3
     ${conditions.map(([, field], place) => `and call ->> '${field}' = $${place + 4}`).join(' ')}`,
    [projectId, query.fromDate, query.toDate, ...conditions.map(([name]) => query[name])],
  );
  return row!.count;
}

async function expectExact(tenant: Tenant, chance: Dice, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const query = randomQuery(chance);
    const { total, generations } = (await read(tenant, { ...query, limit: '10000' })).body;
    const expected = await countByHand(tenant, query);
    expect({ query, total, rows: generations.length }).toEqual({ query, total: expected, rows: expected });
  }
}

/** Sums the rollup by bucket and combination, in whichever rows the sums are stored. */
const sumsOf = ({ projectId }: Tenant) =>
  service.database.rows(
    `select project_id, grain, bucket, dim, sum(n)::integer as n, sum(input_tokens)::integer as tokens, sum(cost)::float8 as cost
     from ledger_rollup where project_id = $1 group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4`,
    [projectId],
  );

it.each([1, 2, 3])('totals are exact for any window and filters (seed %i)', async (seed) => {
  const chance = dice(seed);
  const tenant = await makeTenant(service);
  for (let batch = 0; batch < 4; batch += 1) {
    await written(tenant, ...randomCalls(chance, 200));
    await expectExact(tenant, chance, 15);
    if (batch % 2) await tidying.compact();
  }
  await expectExact(tenant, chance, 15);
});

it('totals are exact at every moment while calls are written and two processes compact the rollup', async () => {
  const tenant = await makeTenant(service);
  const chance = dice(4);
  let isOver = false;
  let accepted = 0;
  const write = async () => {
    while (!isOver) {
      const now = await written(tenant, ...randomCalls(chance, 20));
      accepted += now.accepted;
    }
  };
  const compact = async () => {
    while (!isOver) await tidying.compact();
  };
  const background = Promise.all([write(), write(), compact(), compact()]);
  try {
    let last = 0;
    for (let round = 0; round < 25; round += 1) {
      const { total, generations } = (await read(tenant, { limit: '10000', model: chance.of(MODELS) })).body;
      expect(generations).toHaveLength(total);
      const all = (await read(tenant, { limit: '10000' })).body;
      expect(all.generations).toHaveLength(all.total);
      expect(all.total).toBeGreaterThanOrEqual(last);
      last = all.total;
    }
  } finally {
    isOver = true;
  }
  await background;
  expect((await read(tenant)).body.total).toBe(accepted);
  await expectExact(tenant, chance, 10);
});

it('totals are exact after calls were deleted, and the rollup has nothing of them', async () => {
  const chance = dice(5);
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  for (const tenant of [mine, theirs]) await written(tenant, ...randomCalls(chance, 300));
  const cutoffs = {
    general: new Date(NOW - 40 * DAY_MS),
    ofProjects: new Map([[theirs.projectId, new Date(NOW - DAY_MS / 2)]]),
  };
  await dropDueRows({ statements, cutoffs, hasTime: () => true });
  for (const tenant of [mine, theirs]) await expectExact(tenant, chance, 15);
  const before = async (tenant: Tenant, time: Date) =>
    (await read(tenant, { fromDate: EVER.fromDate, toDate: time.toISOString() })).body.total;
  expect(await before(mine, cutoffs.general)).toBe(0);
  expect(await before(mine, new Date(NOW - DAY_MS))).toBeGreaterThan(0);
  expect(await before(theirs, new Date(NOW - DAY_MS / 2))).toBe(0);
  while ((await tidying.compact()) > 0);
  for (const tenant of [mine, theirs]) await expectExact(tenant, chance, 15);
});

it('compaction changes no sum, and leaves one row for each bucket and combination', async () => {
  const tenant = await makeTenant(service);
  const chance = dice(6);
  for (let batch = 0; batch < 5; batch += 1) await written(tenant, ...randomCalls(chance, 50));
  const expected = await sumsOf(tenant);
  while ((await tidying.compact()) > 0);
  expect(await sumsOf(tenant)).toEqual(expected);
  const crowded = await service.database.rows(
    'select 1 from ledger_rollup where project_id = $1 group by grain, bucket, dim having count(*) > 1',
    [tenant.projectId],
  );
  expect(crowded).toEqual([]);
});

/** Checks pages at these offsets in both orders. */
async function expectPages(
  tenant: Tenant,
  query: Record<string, string>,
  forwards: string[],
  offsets: number[],
): Promise<void> {
  for (const [sortOrder, whole] of [
    ['asc', forwards],
    ['desc', forwards.toReversed()],
  ] as const) {
    for (const offset of offsets) {
      const { body } = await read(tenant, { ...query, sortOrder, limit: '7', offset: String(offset) });
      const ids = body.generations.map(({ id }) => id);
      const asked = { query, sortOrder, offset };
      expect({ ...asked, ids }).toEqual({ ...asked, ids: whole.slice(offset, offset + 7) });
    }
  }
}

it('pages with large offsets are found in both orders, with every strategy', async () => {
  const tenant = await makeTenant(service);
  const chance = dice(7);
  // Dozens of calls have the same time, so that pages begin in the middle of them.
  const times = Array.from({ length: 300 }, () => new Date(aTime(chance)).toISOString());
  const calls = randomCalls(chance, 12_000).map((call, i) => ({
    ...call,
    timestamp: chance.of(times),
    model: i % 20 ? 'a' : 'b',
    // Most calls match, but fewer than are sorted at most.
    environment: i % 3 ? 'production' : 'staging',
  }));
  await written(tenant, ...calls.slice(0, 6_000));
  await written(tenant, ...calls.slice(6_000));
  const byHand = `select id from ledger_row where project_id = $1 and (doc || '}')::jsonb @> $2::jsonb`;
  const byCost = { sortBy: 'cost' };
  for (const { filter, sort } of [
    { filter: {}, sort: {} },
    ...[{ model: 'a' }, { model: 'b' }, { environment: 'production' }].flatMap((filter) => [
      { filter, sort: {} },
      { filter, sort: byCost },
    ]),
  ]) {
    const query = { ...filter, ...sort };
    const order = sort === byCost ? 'cost, ts' : 'ts';
    const rows = await service.database.rows<{ id: string }>(`${byHand} order by ${order}, id`, [
      tenant.projectId,
      JSON.stringify(filter),
    ]);
    const forwards = rows.map(({ id }) => id);
    const offsets = [0, 599, 1_001, 5_432, forwards.length - 3, forwards.length];
    await expectPages(tenant, query, forwards, offsets);
  }
});

it('pages with large offsets are found in windows that begin and end within hours', async () => {
  const tenant = await makeTenant(service);
  const begin = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 6 * HOUR_MS;
  const at = (minutes: number) => new Date(begin + minutes * 60_000).toISOString();
  const calls = Array.from({ length: 4_500 }, (_, i) => aCall({ timestamp: at(i / 30) }));
  await written(tenant, ...calls);
  const inOrder = `select id from ledger_row where project_id = $1 and ts >= $2 and ts < $3 order by ts, id`;
  for (const { from, to, offsets } of [
    // The window has 1,200 calls before the first whole hour, 1,800 in it and 600 after it.
    { from: 20, to: 140, offsets: [1_199, 1_200, 1_201, 2_399, 2_400, 2_401, 2_999, 3_000, 3_001, 3_598] },
    { from: 70, to: 110, offsets: [1_001, 1_198, 1_199, 1_200] },
  ]) {
    const window = { fromDate: at(from), toDate: at(to) };
    const rows = await service.database.rows<{ id: string }>(inOrder, [tenant.projectId, at(from), at(to)]);
    const forwards = rows.map(({ id }) => id);
    expect(forwards).toHaveLength((to - from) * 30);
    await expectPages(tenant, window, forwards, offsets);
  }
});

it('totals are exact if no two calls have the same filter values', async () => {
  const tenant = await makeTenant(service);
  const calls = randomCalls(dice(8), 1_500).map((call, i) => ({ ...call, model: `model ${i}`, status: 'success' }));
  await written(tenant, ...calls, ...randomCalls(dice(9), 100));
  const queries: Record<string, string>[] = [
    { status: 'success' },
    { status: 'success', sortBy: 'cost' },
    { status: 'success', channel: 'api' },
  ];
  for (const query of queries) {
    const expected = await countByHand(tenant, { ...EVER, ...query });
    const { total, generations } = (await read(tenant, { ...query, limit: '10000' })).body;
    expect([total, generations.length]).toEqual([expected, expected]);
    const { groups } = (
      await tenant.api.get<{ groups: { calls: number }[] }>(`${ledgerPath(tenant.projectId)}/summary`, {
        query: { ...EVER, status: 'success', groupBy: 'source', ...(query.channel && { channel: query.channel }) },
      })
    ).body;
    expect(groups.reduce((sum, group) => sum + group.calls, 0)).toBe(expected);
  }
});
