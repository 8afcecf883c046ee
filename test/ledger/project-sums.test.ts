import { DAY_MS, HOUR_MS } from '../../src/kernel/spans.js';
import { administratorOf, makeProject, makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { aCall, written } from './calls.js';

const service = await startService();
const administrator = administratorOf(service);
afterAll(() => service.stop());

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;

interface Page {
  data: { projectId: string; name: string; calls: number; failed: number; totalTokens: number; cost: number }[];
  meta: { nextCursor: string | null };
}

const asked = (query: Record<string, string> = {}) =>
  administrator.get<Page>('/api/admin/v1/ledger-summary', { query: { limit: '100', ...query } });

async function sumsOf({ projectId }: Pick<Tenant, 'projectId'>, query: Record<string, string> = {}) {
  return (await asked(query)).body.data.find((each) => each.projectId === projectId);
}

const callAt = (time: number, changes: object = {}) => aCall({ timestamp: new Date(time).toISOString(), ...changes });

it('sums the calls of each project, and zeros where there are none', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
  const projectId = await makeProject(service, 'Without calls');
  const tokens = { inputTokens: 10, completionTokens: 3, reasoningTokens: 2 };
  await written(
    mine,
    callAt(today, { ...tokens, cost: 0.5 }),
    callAt(today - DAY_MS, { ...tokens, cost: 0.25, status: 'failed', model: 'a' }),
    callAt(today - DAY_MS, { cost: 0, status: 'failed', model: 'b' }),
  );
  await written(theirs, callAt(today, { cost: 7 }));
  expect(await sumsOf(mine)).toMatchObject({ calls: 3, failed: 2, totalTokens: 30, cost: 0.75 });
  expect(await sumsOf(theirs)).toMatchObject({ calls: 1, failed: 0, totalTokens: 0, cost: 7 });
  const none = { projectId, name: 'Without calls', calls: 0, failed: 0, totalTokens: 0, cost: 0 };
  expect(await sumsOf({ projectId })).toEqual(none);
});

it('sums as many days as it is asked for, with today', async () => {
  const tenant = await makeTenant(service);
  await written(tenant, ...[0, 1, 2, 30].map((days) => callAt(today - days * DAY_MS)), callAt(today - DAY_MS - 1));
  const counts = async (days: string) => (await sumsOf(tenant, { days }))?.calls;
  expect(await counts('1')).toBe(1);
  expect(await counts('2')).toBe(2);
  expect(await counts('3')).toBe(4);
  expect(await counts('31')).toBe(5);
  expect((await sumsOf(tenant))?.calls).toBe(4);
});

it('leads from page to page', async () => {
  await makeTenant(service);
  const all = (await asked()).body.data;
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { data, meta }: Page = (await asked({ limit: '1', ...(cursor && { cursor }) })).body;
    seen.push(...data.map(({ projectId }) => projectId));
    cursor = meta.nextCursor;
  }
  expect(seen).toEqual(all.map(({ projectId }) => projectId));
});

it.each<Record<string, string>>([{ days: '0' }, { days: '401' }, { limit: '101' }, { cursor: 'x' }, { colour: 'red' }])(
  'refuses %j',
  async (query) => {
    expect((await asked(query)).outcome).toBe('400 VALIDATION_ERROR');
  },
);

it('answers no API key of a project', async () => {
  const { api } = await makeTenant(service);
  expect((await api.get('/api/admin/v1/ledger-summary')).status).toBe(401);
});

describe('the sums of all projects', () => {
  interface Sums {
    groupBy: string;
    hasMore: boolean;
    groups: { key: string; calls: number; cost: number }[];
  }
  const sums = (query: Record<string, string>) =>
    administrator.get<Sums>('/api/admin/v1/llm-ledger/summary', { query });
  // No other test writes at this time.
  const hour = today - 200 * DAY_MS + 9 * HOUR_MS;
  const window = { fromDate: new Date(hour).toISOString(), toDate: new Date(hour + 2 * DAY_MS).toISOString() };
  let mine: Tenant;
  let theirs: Tenant;

  beforeAll(async () => {
    [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    await written(
      mine,
      callAt(hour, { cost: 1, model: 'a', environment: 'production' }),
      callAt(hour + DAY_MS, { cost: 2, model: 'b', status: 'failed' }),
      callAt(hour - 1, { cost: 100, model: 'a' }),
    );
    await written(theirs, callAt(hour + 60_000, { cost: 4, model: 'a' }));
  });

  it.each([
    ['day', [1, 2].map((days) => new Date(hour + (days - 1) * DAY_MS).toISOString().slice(0, 10)), [2, 1]],
    ['model', ['a', 'b'], [2, 1]],
  ])('are grouped by %s', async (groupBy, keys, calls) => {
    const { body } = await sums({ ...window, groupBy });
    expect(body).toMatchObject({ groupBy, hasMore: false });
    expect(body.groups.map(({ key }) => key)).toEqual(keys);
    expect(body.groups.map((group) => group.calls)).toEqual(calls);
  });

  it('are divided into days and hours', async () => {
    const [first, second] = [0, 1].map((days) => new Date(hour + days * DAY_MS).toISOString());
    const days = (await sums({ ...window, groupBy: 'model', interval: 'day' })).body.groups;
    expect(days).toMatchObject([
      { key: 'a', intervals: [{ key: first!.slice(0, 10), calls: 2, failed: 0, cost: 5 }] },
      { key: 'b', intervals: [{ key: second!.slice(0, 10), calls: 1, failed: 1, cost: 2 }] },
    ]);
    const hours = (await sums({ ...window, groupBy: 'model', interval: 'hour', model: 'b' })).body.groups;
    expect(hours).toMatchObject([{ key: 'b', intervals: [{ key: `${second!.slice(0, 13)}:00Z`, calls: 1 }] }]);
    expect((await sums({ ...window, interval: 'day' })).outcome).toBe('400 VALIDATION_ERROR');
  });

  it('are grouped by project, the one with the highest cost first', async () => {
    const { body } = await sums({ ...window, limit: '1' });
    expect(body).toMatchObject({ groupBy: 'project', hasMore: true });
    expect(body.groups).toMatchObject([{ key: theirs.projectId, calls: 1, cost: 4 }]);
  });

  it('have the filters of the ledger of a project', async () => {
    expect((await sums({ ...window, status: 'failed' })).body.groups).toMatchObject([
      { key: mine.projectId, calls: 1 },
    ]);
    expect((await sums({ ...window, groupBy: 'hour', model: 'none' })).body.groups).toEqual([]);
    expect((await sums({ ...window, status: 'ok' })).outcome).toBe('400 INVALID_STATUS');
    expect((await sums({ ...window, model: '' })).outcome).toBe('400 INVALID_FILTER');
    expect((await sums({ ...window, sessionIds: 'a' })).status).toBe(400);
  });

  it('begin and end with whole hours', async () => {
    const narrow = { fromDate: new Date(hour + 59_000).toISOString(), toDate: new Date(hour + 61_000).toISOString() };
    expect((await sums({ ...narrow, groupBy: 'hour' })).body.groups).toMatchObject([{ calls: 2 }]);
  });

  it('are the same after compaction', async () => {
    const before = (await sums({ ...window, groupBy: 'model' })).body;
    await service.database.rows(`update job set run_at = now() where name = 'ledger.tidy'`);
    await eventually(
      () => service.database.rows(`select from ledger_rollup where is_new`),
      (left) => left.length === 0,
    );
    expect((await sums({ ...window, groupBy: 'model' })).body).toEqual(before);
  });
});
