import { administratorOf, makeApp, makeKeyWith, makeTenant, type Tenant } from '../support/actors.js';
import { faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { found, read, search } from './reading.js';
import { aSpan, CHAT, exportOf, newTraceId, type SentSpan, sent } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

const NOW = Math.floor(Date.now() / 1000) * 1000;
const FAILED = { code: 2, message: 'no' };
const ago = (seconds: number, tookMs = 100) => ({ from: NOW - seconds * 1000, to: NOW - seconds * 1000 + tookMs });
const isoAgo = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const MESSAGES = [{ role: 'user', content: 'Where is my order?' }];
const SPOKEN = {
  ...CHAT,
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: MESSAGES[0]!.content }] }]),
};

/** Sends a trace of a workflow with a call within it. */
async function sentTrace(tenant: Tenant, traceId = newTraceId()): Promise<{ traceId: string; spans: SentSpan[] }> {
  const top = aSpan({ traceId, name: 'workflow', ...ago(60, 2_000), attributes: { 'session.id': 'chat-17' } });
  const call = aSpan({ traceId, parentSpanId: top.spanId, ...ago(59), attributes: SPOKEN });
  await sent(tenant, exportOf([call]));
  await sent(tenant, exportOf([top]));
  return { traceId, spans: [top, call] };
}

describe('a trace that an SDK of OpenTelemetry sent', () => {
  it('is read by the id that the SDK shows, in upper or lower case, and by the id of Slipway', async () => {
    const tenant = await makeTenant(service);
    const { traceId, spans } = await sentTrace(tenant);
    const { outcome, body } = await read(tenant, traceId);
    expect(outcome).toBe('200');
    expect(body).toMatchObject({
      otelTraceId: traceId,
      name: 'workflow',
      status: 'success',
      sessionId: 'chat-17',
      startedAt: isoAgo(60),
      latencyMs: 2_000,
      observationCount: 2,
      isComplete: true,
      observations: [
        { otelSpanId: spans[0]!.spanId, type: 'SPAN', parentObservationId: null, tokenUsage: null, cost: null },
        { otelSpanId: spans[1]!.spanId, type: 'GENERATION', input: MESSAGES, tokenUsage: { total: 908 } },
      ],
    });
    expect(body.observations[1]!.parentObservationId).toBe(body.observations[0]!.observationId);
    expect(body.observations[1]!.attributes).toMatchObject({ 'gen_ai.request.model': 'gpt-4o' });
    for (const other of [traceId.toUpperCase(), body.traceId]) {
      expect((await read(tenant, other)).body).toEqual(body);
    }
  });

  it('is not found by another tenant, nor for another app of the project', async () => {
    const tenant = await makeTenant(service);
    const { traceId } = await sentTrace(tenant);
    const { traceId: ours } = (await read(tenant, traceId)).body;
    const stranger = await makeTenant(service);
    const appId = await makeApp(service, tenant.projectId);
    const neighbour = { ...tenant, appId, ...(await makeKeyWith(service, { ...tenant, appId }, ['SESSIONS_LIST'])) };
    for (const other of [stranger, neighbour]) {
      for (const id of [traceId, ours]) expect((await read(other, id)).outcome).toBe('404 TRACE_NOT_FOUND');
      expect(await found(other)).toEqual([]);
    }
    expect(await found(tenant)).toEqual([traceId]);
  });

  it('with the same id as one of another tenant is a separate trace', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    const { traceId } = await sentTrace(mine);
    await sent(theirs, exportOf([aSpan({ traceId, name: 'theirs' })]));
    expect((await read(mine, traceId)).body).toMatchObject({ name: 'workflow', observationCount: 2 });
    expect((await read(theirs, traceId)).body).toMatchObject({ name: 'theirs', observationCount: 1 });
  });
});

it('a trace of the service itself is found and read too', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const { traceId, session } = (await say(tenant, 'order-1', 'Where is my order?')).body;
  const { traces } = (await search(tenant, { sessionId: session.sessionId })).body;
  expect(traces).toMatchObject([{ traceId, otelTraceId: null, sessionId: session.sessionId, status: 'success' }]);
  const { body } = await read(tenant, traceId);
  expect(body).toMatchObject({ ...traces[0], isComplete: true });
  const call = body.observations.find(({ type }) => type === 'GENERATION')!;
  expect(call.input).toContainEqual({ role: 'user', content: 'Where is my order?' });
});

describe('a search', () => {
  it.each<[string, Record<string, string>]>([
    ['time', { fromDate: isoAgo(300), toDate: isoAgo(299) }],
    ['session', { sessionId: 'another' }],
    ['name', { name: 'mine' }],
    ['status', { status: 'failed' }],
    ['span', { spanId: '00F067AA0BA902B7' }],
    ['all of them', { sessionId: 'another', name: 'mine', status: 'failed', spanId: '00f067aa0ba902b7' }],
  ])('by %s finds exactly the traces that have it', async (_, query) => {
    const tenant = await makeTenant(service);
    const traceId = newTraceId();
    const top = aSpan({ traceId, name: 'mine', ...ago(300), attributes: { 'session.id': 'another' } });
    const below = aSpan({
      traceId,
      spanId: '00f067aa0ba902b7',
      parentSpanId: top.spanId,
      name: 'below',
      ...ago(300, 50),
      status: FAILED,
      attributes: {},
    });
    await sent(tenant, exportOf([below, top]));
    await sentTrace(tenant);
    expect(await found(tenant, query)).toEqual([traceId]);
  });

  it('by name does not find observations below the top', async () => {
    const tenant = await makeTenant(service);
    const { traceId } = await sentTrace(tenant);
    expect(await found(tenant, { name: 'chat gpt-4o' })).toEqual([]);
    expect(await found(tenant, { name: 'workflow', status: 'success' })).toEqual([traceId]);
  });

  it('without bounds covers the last 24 hours', async () => {
    const tenant = await makeTenant(service);
    const [late, early] = [newTraceId(), newTraceId()];
    await sent(tenant, exportOf([aSpan({ traceId: late, ...ago(3_600) }), aSpan({ traceId: early, ...ago(90_000) })]));
    expect(await found(tenant)).toEqual([late]);
    expect(await found(tenant, { toDate: isoAgo(3_600) })).toEqual([early]);
    expect(await found(tenant, { fromDate: isoAgo(90_000) })).toEqual([late, early]);
  });

  it('has pages without repeats or gaps, even if many traces began in the same microsecond', async () => {
    const tenant = await makeTenant(service);
    const spans = Array.from({ length: 45 }, (_, i) => aSpan({ ...ago(i < 30 ? 100 : 200 + i), attributes: {} }));
    await sent(tenant, exportOf(spans));
    const seen: (string | null)[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { body } = await search(tenant, { limit: '7', ...(cursor && { cursor }) });
      expect(body.traces.length).toBe(Math.min(7, 45 - seen.length));
      seen.push(...body.traces.map(({ otelTraceId }) => otelTraceId));
      cursor = body.nextCursor;
    }
    expect(seen.toSorted()).toEqual(spans.map(({ traceId }) => traceId).toSorted());
    expect(seen.slice(30)).toEqual(spans.slice(30).map(({ traceId }) => traceId));
  });

  it('examines 1,000 traces for a page and continues with the next page', async () => {
    const tenant = await makeTenant(service);
    const rare = aSpan({ name: 'rare', ...ago(5_000) });
    const many = Array.from({ length: 1_000 }, (_, i) => aSpan({ ...ago(100 + i), attributes: {} }));
    await sent(tenant, exportOf([...many, rare]));
    const first = (await search(tenant, { name: 'rare' })).body;
    expect(first).toMatchObject({ traces: [], nextCursor: expect.any(String) as string });
    const second = (await search(tenant, { name: 'rare', cursor: first.nextCursor! })).body;
    expect(second).toMatchObject({ traces: [{ otelTraceId: rare.traceId }], nextCursor: null });
  });

  it.each([
    [{ fromDate: 'yesterday' }, 'fromDate'],
    [{ fromDate: isoAgo(1), toDate: isoAgo(2) }, 'fromDate'],
    [{ status: 'error' }, 'status'],
    [{ spanId: 'x' }, 'spanId'],
    [{ limit: '101' }, 'limit'],
    [{ cursor: 'x' }, 'cursor'],
    [{ traceId: 'x' }, 'traceId'],
    [{ name: '' }, 'name'],
  ])('refuses %j', async (query, fault) => {
    expect(await search(await makeTenant(service), query)).toMatchObject(faultsAt(fault));
  });
});

it('a trace that is longer than an answer may be is marked as incomplete', async () => {
  const tenant = await makeTenant(service);
  const [many, long] = [newTraceId(), newTraceId()];
  await sent(tenant, exportOf(Array.from({ length: 1_001 }, () => aSpan({ traceId: many, attributes: {} }))));
  expect((await read(tenant, many)).body).toMatchObject({ isComplete: false, observationCount: 1_001 });
  expect((await read(tenant, many)).body.observations).toHaveLength(1_000);

  const text = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'x'.repeat(99_000) }] }]);
  const attributes = { ...CHAT, 'gen_ai.input.messages': text };
  await sent(tenant, exportOf(Array.from({ length: 45 }, () => aSpan({ traceId: long, attributes }))));
  const { body } = await read(tenant, long);
  expect(body.isComplete).toBe(false);
  const inputs = body.observations.map(({ input }) => (input as unknown[]).length);
  expect(inputs).toEqual([...Array<number>(42).fill(1), 0, 0, 0]);
});

it('texts of calls are not returned if the project’s policy is omit', async () => {
  const tenant = await makeTenant(service);
  const { traceId } = await sentTrace(tenant);
  await administratorOf(service).put(`/api/admin/v1/projects/${tenant.projectId}/ledger-policy`, { payloads: 'omit' });
  expect((await read(tenant, traceId)).body.observations[1]).toMatchObject({ input: [], output: null });
});
