import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aCall, at, type Call, EVER, ledgerPath, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

/** More calls than are sorted after a cursor, of more sessions than are looked up one by one. */
const sessionOf = (n: number) => `s${n % 1_250}`;
const calls = Array.from({ length: 10_500 }, (_, n) =>
  aCall({ sessionId: sessionOf(n), timestamp: at((n * 37) % 5_000), cost: ((n * 7_919) % 1_000) / 1_000 }),
);
const wanted = new Set(Array.from({ length: 1_200 }, (_, n) => sessionOf(n)));
const query = { ...EVER, sessionIds: [...wanted].join() };

const tenant = await makeTenant(service);
await written(tenant, ...calls.slice(0, 5_250));
await written(tenant, ...calls.slice(5_250));

async function exported(): Promise<Call[]> {
  const { text } = await tenant.api.get<string>(`${ledgerPath(tenant.projectId)}/export.ndjson`, { query });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Call);
}

type Column = 'timestamp' | 'cost';

const sorted = (found: Call[], ...columns: Column[]) =>
  found.toSorted((a, b) => {
    const column = ([...columns, 'id'] as const).find((name) => a[name] !== b[name])!;
    return a[column]! < b[column]! ? -1 : 1;
  });

it('many sessions are exported with each of their calls once, in order', async () => {
  const lines = await exported();
  const expected = calls.filter((_, n) => wanted.has(sessionOf(n))).map(({ callId }) => callId);
  expect(expected.length).toBeGreaterThan(10_000);
  expect(lines.map(({ callId }) => callId).sort()).toEqual(expected.sort());
  expect(lines).toEqual(sorted(lines, 'timestamp'));
});

it.each(['asc', 'desc'])('many sessions are paged by cost (%s) in the order of a plain sort', async (sortOrder) => {
  const all = sorted(await exported(), 'cost', 'timestamp');
  if (sortOrder === 'desc') all.reverse();
  const order = { ...query, sortBy: 'cost', sortOrder, limit: '10' };
  const first = await read(tenant, order);
  expect(first.body).toMatchObject({ total: all.length, hasMore: true });
  expect(first.body.generations).toEqual(all.slice(0, 10));
  const second = await read(tenant, { ...order, cursor: first.headers.get('x-next-cursor')! });
  expect(second.body.generations).toEqual(all.slice(10, 20));
  const far = await read(tenant, { ...order, offset: String(all.length - 5) });
  expect(far.body).toMatchObject({ hasMore: false, generations: all.slice(-5) });
});
