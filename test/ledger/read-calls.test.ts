import { HOUR_MS } from '../../src/kernel/spans.js';
import { makeTenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, EVER, found, ledgerPath, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

describe('the envelope', () => {
  it('has the defaults and repeats the parameters', async () => {
    const tenant = await makeTenant(service);
    const answer = await read(tenant);
    expect(answer.body).toStrictEqual({
      success: true,
      statusCode: 200,
      total: 0,
      limit: 100,
      offset: 0,
      dataMode: 'summary',
      hasMore: false,
      generations: [],
    });
    expect(answer.headers.get('cache-control')).toBe('private, no-store, max-age=0');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const asked = await read(tenant, { limit: '10000', offset: '7', dataMode: 'full' });
    expect(asked.body).toMatchObject({ limit: 10000, offset: 7, dataMode: 'full', hasMore: false });
  });

  it('counts all matching calls, and says whether more pages follow', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, ...Array.from({ length: 5 }, () => aCall()));
    const hasMore = async (limit: string, offset: string) => {
      const { body } = await read(tenant, { limit, offset });
      expect(body.total).toBe(5);
      return [body.generations.length, body.hasMore];
    };
    expect(await hasMore('2', '0')).toEqual([2, true]);
    expect(await hasMore('2', '3')).toEqual([2, false]);
    expect(await hasMore('2', '2')).toEqual([2, true]);
    expect(await hasMore('5', '0')).toEqual([5, false]);
    expect(await hasMore('5', '5')).toEqual([0, false]);
    expect(await hasMore('5', '9007199254740991')).toEqual([0, false]);
  });
});

describe('the window', () => {
  it('includes its begin and excludes its end', async () => {
    const tenant = await makeTenant(service);
    const calls = [100, 101, 102].map((seconds) => aCall({ timestamp: at(seconds) }));
    await written(tenant, ...calls);
    const names = calls.map(({ callId }) => callId);
    expect(await found(tenant, { fromDate: at(100), toDate: at(102) })).toEqual(names.slice(0, 2));
    expect(await found(tenant, { fromDate: at(101), toDate: at(103) })).toEqual(names.slice(1));
  });

  it('is exact between milliseconds and with any UTC offset', async () => {
    const tenant = await makeTenant(service);
    const call = aCall({ timestamp: at(100) });
    await written(tenant, call);
    const justAfter = at(100).replace('.000Z', '.0001Z');
    expect(await found(tenant, { fromDate: justAfter })).toEqual([]);
    expect(await found(tenant, { toDate: justAfter })).toEqual([call.callId]);
    const local = `${new Date(Date.parse(at(100)) + 5.5 * HOUR_MS).toISOString().slice(0, 19)}+05:30`;
    expect(await found(tenant, { fromDate: local })).toEqual([call.callId]);
    expect(await found(tenant, { toDate: local })).toEqual([]);
    expect(await found(tenant, { fromDate: local.toLowerCase() })).toEqual([call.callId]);
  });

  const { fromDate, toDate } = EVER;

  it.each([
    [{}, ['fromDate', 'toDate']],
    [{ fromDate }, ['toDate']],
    [{ toDate }, ['fromDate']],
    [{ fromDate: toDate, toDate: fromDate }, ['fromDate']],
    [{ fromDate, toDate: fromDate }, ['fromDate']],
    [{ fromDate: [fromDate, fromDate], toDate }, ['fromDate']],
  ])('refuses %j', async (query, faults) => {
    const { api, projectId } = await makeTenant(service);
    expect(await api.get(ledgerPath(projectId), { query })).toMatchObject(faultsAt(...faults));
  });

  it.each([
    '',
    'yesterday',
    '2026-11-21',
    '2026-11-21T09:30Z',
    '2026-11-21T09:30:00',
    '2026-11-21 09:30:00Z',
    '2026-11-21T09:30:00 00:00',
    '2026-02-29T09:30:00Z',
    '2026-04-31T09:30:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:60:00Z',
    '2026-11-21T09:30:60Z',
    '2026-11-21T09:30:00+24:00',
    '2026-11-21T09:30:00.Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:59:59+01:00',
    '9999-12-31T23:59:59-00:01',
    '10000-01-01T00:00:00Z',
    '+002026-11-21T09:30:00Z',
    '1795253400000',
    '٢٠٢٦-11-21T09:30:00Z',
  ])('refuses the date %j', async (date) => {
    const tenant = await makeTenant(service);
    expect(await read(tenant, { fromDate: date })).toMatchObject(faultsAt('fromDate'));
    expect(await read(tenant, { toDate: date })).toMatchObject(faultsAt('toDate'));
  });

  it('may have any width', async () => {
    const tenant = await makeTenant(service);
    const call = aCall();
    await written(tenant, call);
    const all = { fromDate: '1970-01-01T00:00:00Z', toDate: '9999-12-31T23:59:59.999Z' };
    expect(await found(tenant, all)).toEqual([call.callId]);
  });
});

describe('limit and offset', () => {
  it.each(['', '0', '-1', '10001', '1.5', '1e2', '0x10', ' 5', '05', '+5', 'ten', '99999999999999999999', '١'])(
    'refuses the limit %j',
    async (limit) => {
      expect(await read(await makeTenant(service), { limit })).toMatchObject(faultsAt('limit'));
    },
  );

  it.each(['', '-1', '1.5', '1e2', ' 5', '05', 'ten', '9007199254740993', '99999999999999999999', 'NaN'])(
    'refuses the offset %j',
    async (offset) => {
      expect(await read(await makeTenant(service), { offset })).toMatchObject(faultsAt('offset'));
    },
  );
});

it.each([
  ['limit', '1'],
  ['offset', '1'],
  ['channel', 'web_chat'],
  ['source', 'runtime'],
  ['status', 'success'],
  ['model', 'gpt-4o'],
  ['name', 'Returns desk'],
  ['dataMode', 'full'],
  ['sortBy', 'cost'],
  ['sortOrder', 'desc'],
])('%s is accepted once and refused twice', async (parameter, value) => {
  const tenant = await makeTenant(service);
  expect((await read(tenant, { [parameter]: value })).outcome).toBe('200');
  expect(await read(tenant, { [parameter]: [value, value] })).toMatchObject(faultsAt(parameter));
});

it('one error names every fault and every unknown parameter', async () => {
  const query = { limit: '0', offset: 'x', dataMode: 'all', sortBy: 'model', sortOrder: 'up', name: '', colour: 'red' };
  const answer = await read(await makeTenant(service), { ...query, channelType: '', fromDate: 'x', sessionIds: '' });
  expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR' });
  expect(answer.faults.sort()).toEqual([...Object.keys(query), 'channelType', 'fromDate', 'sessionIds'].sort());
});

describe('the order', () => {
  const KEYS = { timestamp: 'timestamp', latencyMs: 'latencyMs', cost: 'cost', totalTokens: 'totalTokens' } as const;

  it.each(Object.keys(KEYS))('by %s is total: pages of any size add up to all calls', async (sortBy) => {
    const tenant = await makeTenant(service);
    const calls = Array.from({ length: 60 }, (_, i) =>
      aCall({
        timestamp: at((i * 7) % 5),
        latencyMs: (i * 13) % 4,
        cost: ((i * 11) % 3) / 7,
        inputTokens: (i * 17) % 4,
        sessionId: `s-${(i * 5) % 7}`,
      }),
    );
    await written(tenant, ...calls);
    for (const sortOrder of ['asc', 'desc']) {
      const whole = (await read(tenant, { sortBy, sortOrder })).body.generations;
      const key = (call: (typeof whole)[number]) =>
        [call[sortBy], call.timestamp, call.id] as [unknown, string, string];
      const expected = whole.toSorted((a, b) => (sortOrder === 'asc' ? 1 : -1) * compare(key(a), key(b)));
      expect(whole.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      const pages: string[] = [];
      for (let offset = 0; offset < 60; offset += 7) {
        pages.push(...(await found(tenant, { sortBy, sortOrder, limit: '7', offset: String(offset) })));
      }
      expect(pages).toEqual(whole.map(({ callId }) => callId));
    }
  });

  it('is by time, oldest first, by default', async () => {
    const tenant = await makeTenant(service);
    const [late, early] = [aCall({ timestamp: at(9) }), aCall({ timestamp: at(3) })];
    await written(tenant, late, early);
    expect(await found(tenant)).toEqual([early.callId, late.callId]);
    expect(await found(tenant, { sortOrder: 'desc' })).toEqual([late.callId, early.callId]);
  });
});

function compare(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at];
    if (value === other) continue;
    return (value as number) < (other as number) ? -1 : 1;
  }
  return 0;
}
