import { makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { NAUGHTY_STRINGS } from '../support/naughty.js';
import { startService } from '../support/service.js';
import { aCall, at, type Call, EVER, found, ledgerPath, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

const HOUR_S = 3_600;

interface Group {
  key: string;
  calls: number;
  inputTokens: number;
  cost: number;
}

describe('one call', () => {
  const one = ({ api, projectId }: Tenant, id: string, query = {}) =>
    api.get<{ generation: Call }>(`${ledgerPath(projectId)}/${encodeURIComponent(id)}`, { query });

  it('is read by its id, with its payload in full mode', async () => {
    const tenant = await makeTenant(service);
    const payload = { request: null, response: { text: 'Hello' } };
    await written(tenant, aCall({ model: 'meta/llama:8b', sessionId: 's:1', payload }), aCall());
    const [call] = (await read(tenant)).body.generations;
    const answer = await one(tenant, call!.id);
    expect(answer.body).toStrictEqual({ success: true, statusCode: 200, generation: call });
    expect(answer.headers.get('cache-control')).toBe('private, no-store, max-age=0');
    expect((await one(tenant, call!.id, { dataMode: 'full' })).body.generation).toStrictEqual({ ...call, payload });
  });

  it('is found even if its names contain times', async () => {
    const tenant = await makeTenant(service);
    const calls = NAUGHTY_STRINGS.map((text) => aCall({ sessionId: text, model: `:${at(5)}:`, agentName: text }));
    await written(tenant, ...calls);
    for (const { id, callId } of (await read(tenant, { limit: '1000' })).body.generations) {
      expect((await one(tenant, id)).body.generation).toMatchObject({ id, callId });
    }
  });

  it('is not found by part of its id, nor by another project', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    await written(mine, aCall());
    const [call] = (await read(mine)).body.generations;
    expect((await one(theirs, call!.id)).outcome).toBe('404 CALL_NOT_FOUND');
    const near = [
      call!.id.slice(0, -1),
      `${call!.id}0`,
      call!.callId,
      `x${call!.id}`,
      ':2026-13-45T99:99:99.000Z:',
      '\0',
    ];
    for (const id of near) expect((await one(mine, id)).outcome).toBe('404 CALL_NOT_FOUND');
  });
});

describe('a cursor', () => {
  const ORDERS = ['timestamp', 'latencyMs', 'cost', 'totalTokens'].flatMap((sortBy) =>
    ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder })),
  );
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      aCall({
        timestamp: at((i * 7) % 5),
        latencyMs: i % 3,
        cost: (i % 4) / 7,
        inputTokens: i % 5,
        sessionId: `s${i % 2}`,
      }),
    );

  it.each(ORDERS)(
    'leads through %j without gaps or repeats, and shows calls that are written after its position',
    async (order) => {
      const tenant = await makeTenant(service);
      await written(tenant, ...many(40));
      for (const query of [
        order,
        { ...order, sessionIds: 's1' },
        { ...order, status: 'success' },
        { ...order, dataMode: 'full' },
      ]) {
        const whole = await found(tenant, query);
        const names: string[] = [];
        let cursor: string | null | undefined;
        do {
          const answer = await read(tenant, { ...query, limit: '7', ...(cursor && { cursor }) });
          expect(answer.body.total).toBe(whole.length);
          names.push(...answer.body.generations.map(({ callId }) => callId));
          cursor = answer.headers.get('x-next-cursor');
          expect(answer.body.hasMore).toBe(cursor !== null);
        } while (cursor);
        expect(names).toEqual(whole);
      }
    },
  );

  it('continues after a call whose neighbours have changed', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, ...[1, 2, 3, 4].map((second) => aCall({ timestamp: at(second) })));
    const first = await read(tenant, { limit: '2' });
    await written(tenant, aCall({ timestamp: at(0) }), aCall({ timestamp: at(3.5), callId: 'late' }));
    const cursor = first.headers.get('x-next-cursor')!;
    const { body } = await read(tenant, { cursor, limit: '10' });
    expect(body).toMatchObject({ total: 6, hasMore: false });
    expect(body.generations.map(({ timestamp }) => timestamp)).toEqual([at(3), at(3.5), at(4)]);
  });

  it('is refused with an offset, in another order, or if it is malformed', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, ...many(3));
    const cursor = (await read(tenant, { limit: '1' })).headers.get('x-next-cursor')!;
    expect(await read(tenant, { cursor, offset: '1' })).toMatchObject(faultsAt('offset'));
    const others: Record<string, string>[] = [
      { cursor, sortBy: 'cost' },
      { cursor, sortOrder: 'desc' },
    ];
    const none = ['', 'x', 'e30', Buffer.from('["timestamp","asc",0,"x","y"]').toString('base64url')];
    const valued = (sortBy: string, value: number) => ({
      cursor: Buffer.from(JSON.stringify([sortBy, 'asc', value, at(1), 'y'])).toString('base64url'),
      sortBy,
    });
    others.push(valued('latencyMs', 1.5), valued('latencyMs', 2 ** 31), valued('totalTokens', 1e300));
    for (const query of [...others, ...[...none, ...NAUGHTY_STRINGS].map((text) => ({ cursor: text }))]) {
      expect(await read(tenant, query)).toMatchObject(faultsAt('cursor'));
    }
  });

  it('is returned only if there are more calls', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, ...many(2));
    expect((await read(tenant)).headers.has('x-next-cursor')).toBe(false);
    expect((await read(tenant, { offset: '2' })).headers.has('x-next-cursor')).toBe(false);
  });
});

describe('a summary', () => {
  const summary = async ({ api, projectId }: Tenant, query: Partial<Record<string, string>>) => {
    const answer = await api.get<{ groups: Group[]; hasMore: boolean }>(`${ledgerPath(projectId)}/summary`, {
      query: { ...EVER, ...query },
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };
  const FIELDS = {
    day: (call: Call) => call.timestamp.slice(0, 10),
    hour: (call: Call) => `${new Date(call.timestamp).toISOString().slice(0, 13)}:00Z`,
    model: (call: Call) => call.model,
    provider: (call: Call) => call.provider,
    agent: (call: Call) => call.agentName,
    source: (call: Call) => call.source,
    session: (call: Call) => call.sessionId,
    environment: (call: Call) => call.environment,
  };

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
      cachedTokens: i % 10 ? 0 : i,
      completionTokens: i % 13,
      reasoningTokens: i % 11,
      latencyMs: i * 10,
      cost: i / 1000,
    }),
  );

  it.each(Object.keys(FIELDS) as (keyof typeof FIELDS)[])('by %s is the sum of the calls', async (groupBy) => {
    const tenant = await makeTenant(service);
    await written(tenant, ...various);
    const windows = [{}, { fromDate: at(-7 * HOUR_S - 1), toDate: at(90 * HOUR_S + 2) }];
    for (const query of windows.flatMap((window) => [
      window,
      { ...window, status: 'success' },
      { ...window, sessionIds: 's1,s2' },
    ])) {
      const calls = (await read(tenant, { ...query, limit: '1000' })).body.generations;
      const { groups, hasMore } = await summary(tenant, { ...query, groupBy });
      const expected = Object.entries(Object.groupBy(calls, (call) => String(FIELDS[groupBy](call)))).map(
        ([key, members = []]) => {
          const sum = (name: string) => members.reduce((total, call) => total + (call[name] as number), 0);
          return {
            key,
            calls: members.length,
            inputTokens: sum('inputTokens'),
            cachedTokens: sum('cachedTokens'),
            completionTokens: sum('completionTokens'),
            reasoningTokens: sum('reasoningTokens'),
            outputTokens: sum('outputTokens'),
            totalTokens: sum('totalTokens'),
            cost: expect.closeTo(sum('cost'), 9) as number,
            averageLatencyMs: Math.round(sum('latencyMs') / members.length),
          };
        },
      );
      expect(groups.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
        expected.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
      );
      expect(hasMore).toBe(false);
      if (groupBy === 'hour') expect(groups).toEqual(groups.toSorted((a, b) => (a.key < b.key ? -1 : 1)));
      else if (groupBy !== 'day')
        expect(groups.map(({ cost }) => cost)).toEqual(groups.map(({ cost }) => cost).sort((a, b) => b - a));
    }
  });

  it('has the groups with the highest costs if there are more than its limit', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, ...[1, 3, 2].map((cost) => aCall({ cost, model: `m${cost}` })));
    const { groups, hasMore } = await summary(tenant, { groupBy: 'model', limit: '2' });
    expect(groups.map(({ key }) => key)).toEqual(['m3', 'm2']);
    expect(hasMore).toBe(true);
  });

  it.each([
    [{ groupBy: 'colour' }, '400 VALIDATION_ERROR'],
    [{ limit: '0' }, '400 VALIDATION_ERROR'],
    [{ fromDate: EVER.toDate }, '400 VALIDATION_ERROR'],
    [{ offset: '0' }, '400 VALIDATION_ERROR'],
    [{ model: '' }, '400 INVALID_FILTER'],
    [{ status: 'x' }, '400 INVALID_STATUS'],
  ])('refuses %j', async (query, outcome) => {
    const { api, projectId } = await makeTenant(service);
    const answer = await api.get(`${ledgerPath(projectId)}/summary`, { query: { ...EVER, ...query } });
    expect(answer.outcome).toBe(outcome);
  });
});

describe('an export', () => {
  const exported = ({ api, projectId }: Tenant, format: string, query = {}) =>
    api.get<string>(`${ledgerPath(projectId)}/export.${format}`, { query: { ...EVER, ...query } });

  it('has all calls as lines, as the list shows them', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, ...Array.from({ length: 2_500 }, (_, i) => aCall({ model: i % 2 ? 'a' : 'b' })));
    for (const query of [{}, { model: 'a' }]) {
      const answer = await exported(tenant, 'ndjson', query);
      expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
      const calls = answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Call);
      expect(calls).toEqual((await read(tenant, { ...query, limit: '10000' })).body.generations);
    }
  });

  it('has all calls as CSV, in which no text is run as a formula', async () => {
    const tenant = await makeTenant(service);
    await written(
      tenant,
      aCall({ agentName: '=1+1', sessionId: 'a,"b"\nc', channel: 'api', timeToFirstTokenMs: 5 }),
      aCall({ agentName: '＝1+1', sessionId: '\n=1+1' }),
      aCall({ agentName: 'a;b', sourceId: 'a;"=1', model: 'a;=1+1;-2;c', provider: 'a\t@b', sessionId: 'a\n+1' }),
    );
    const answer = await exported(tenant, 'csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', ...lines] = answer.text.split('\r\n');
    expect(head.split(',')).toEqual(expect.arrayContaining(['id', 'agentName', 'channel', 'payloadState']));
    expect(head).not.toContain('payload,');
    expect(lines[0]).toContain(`,'=1+1,`);
    expect(lines[0]).toContain('"a,""b""\nc"');
    expect(lines[1]).toContain(",'＝1+1,");
    expect(lines[1]).toContain(`"'\n'=1+1"`);
    // Some spreadsheets split cells at semicolons or tabs.
    for (const cell of ['"a;b"', `"a;'""=1"`, `"a;'=1+1;'-2;c"`, `"a\t'@b"`, `"a\n'+1"`])
      expect(lines[2]).toContain(`,${cell},`);
    expect(lines).toHaveLength(4);
  });

  it('of no calls has only the header of the CSV', async () => {
    const tenant = await makeTenant(service);
    expect((await exported(tenant, 'ndjson')).text).toBe('');
    expect((await exported(tenant, 'csv')).text).toMatch(/^id,[\w,]+\r\n$/);
  });

  it('refuses what the list refuses', async () => {
    const tenant = await makeTenant(service);
    expect((await exported(tenant, 'csv', { model: '' })).outcome).toBe('400 INVALID_FILTER');
    expect((await exported(tenant, 'ndjson', { status: 'x' })).outcome).toBe('400 INVALID_STATUS');
    expect(await exported(tenant, 'csv', { limit: '1' })).toMatchObject(faultsAt('limit'));
  });
});
