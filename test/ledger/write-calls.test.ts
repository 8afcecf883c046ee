import { DAY_MS } from '../../src/kernel/spans.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { faultsAt, type Refused } from '../support/client.js';
import { startService } from '../support/service.js';
import { aCall, at, found, ledgerPath, read, write, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

async function oneWritten(changes: Record<string, unknown>) {
  const tenant = await makeTenant(service);
  await written(tenant, aCall(changes));
  return (await read(tenant)).body.generations[0]!;
}

describe('a call', () => {
  it('with only its required members has defaults for all others', async () => {
    const tenant = await makeTenant(service);
    await written(tenant, { callId: 'c', timestamp: at(1), status: 'success' });
    const [call] = (await read(tenant)).body.generations;
    expect(call).toStrictEqual({
      id: expect.stringMatching(new RegExp(`^:c:${at(1)}:unknown:unknown:0:0:0:\\d+$`)) as string,
      model: 'unknown',
      agentName: 'response_generation',
      provider: 'unknown',
      environment: '',
      status: 'success',
      inputTokens: 0,
      cachedTokens: 0,
      completionTokens: 0,
      reasoningTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      latencyMs: 0,
      timeToFirstTokenMs: null,
      streamingUsed: false,
      cost: 0,
      timestamp: at(1),
      sessionId: '',
      callId: 'c',
      traceId: '',
      eventId: '',
      source: 'runtime',
      sourceSubtype: 'response_generation',
      sourceLabel: 'Runtime',
      sourceSubtypeLabel: 'Response generation',
      sourceId: '',
      statusCode: 200,
      payloadState: 'missing',
    });
    expect(await oneWritten({ status: 'failed' })).toMatchObject({ statusCode: 500 });
    expect(await oneWritten({ status: 'failed', statusCode: 429 })).toMatchObject({ statusCode: 429 });
  });

  it('with all members is read as it was written', async () => {
    const said = {
      callId: 'call: with "quotes" \\ and \u{1F600}\n',
      timestamp: at(1),
      status: 'failed',
      model: 'llama3:8b',
      agentName: 'Agent',
      provider: 'custom',
      environment: 'working-copy',
      inputTokens: 10,
      cachedTokens: 10,
      completionTokens: 3,
      reasoningTokens: 4,
      outputTokens: 7,
      totalTokens: 17,
      latencyMs: 2_147_483_647,
      timeToFirstTokenMs: 0,
      streamingUsed: true,
      cost: 0.000000123,
      sessionId: 's',
      traceId: 't',
      eventId: 'e',
      source: 'pipelines',
      sourceSubtype: 'pipeline_merge',
      sourceId: 'i',
      channel: 'voice',
      channelType: 'voice_vxml',
      statusCode: 503,
    };
    const tenant = await makeTenant(service);
    await written(tenant, said);
    const [call] = (await read(tenant)).body.generations;
    expect(call).toMatchObject(said);
    expect(call!.id.startsWith(`s:${said.callId}:${at(1)}:llama3:8b:custom:10:7:2147483647:`)).toBe(true);
  });

  it('in an environment has a channel, which may be empty, and one of design time has none', async () => {
    expect(await oneWritten({ environment: 'production' })).toMatchObject({ channel: '', channelType: '' });
    expect(await oneWritten({ channelType: 'sms' })).toMatchObject({ channel: '', channelType: 'sms' });
    const designTime = await oneWritten({ source: 'arch' });
    expect(designTime).not.toHaveProperty('channel');
    expect(designTime).not.toHaveProperty('channelType');
  });

  it('has its time to the millisecond, in UTC', async () => {
    const local = at(60).replace('.000Z', '.1239+00:00');
    expect(await oneWritten({ timestamp: local })).toMatchObject({ timestamp: at(60).replace('.000Z', '.123Z') });
  });
});

describe('a batch', () => {
  it('answers with the numbers of new calls and of duplicates', async () => {
    const tenant = await makeTenant(service);
    const [first, second, third] = [aCall(), aCall(), aCall()];
    expect((await write(tenant, first, second)).body).toMatchObject({ statusCode: 201, accepted: 2, duplicates: 0 });
    expect((await write(tenant, second, third)).body).toMatchObject({ accepted: 1, duplicates: 1 });
    expect((await write(tenant, second, third)).body).toMatchObject({ accepted: 0, duplicates: 2 });
    expect(await found(tenant)).toHaveLength(3);
  });

  it('does not change a known call, and keeps the first of two with the same callId', async () => {
    const tenant = await makeTenant(service);
    const call = aCall({ model: 'first' });
    expect(await written(tenant, call, { ...call, model: 'second' })).toMatchObject({ accepted: 1, duplicates: 1 });
    await written(tenant, { ...call, model: 'third', timestamp: at(9_000) });
    expect((await read(tenant)).body.generations).toMatchObject([{ model: 'first' }]);
  });

  it('is refused if a call is older than the retention of its project, and the error has its place', async () => {
    const tenant = await makeTenant(service);
    await administratorOf(service).put(`/api/admin/v1/projects/${tenant.projectId}/retention`, { days: { calls: 5 } });
    const answer = await write(tenant, aCall({ timestamp: new Date().toISOString() }), aCall());
    expect(answer).toMatchObject({ outcome: '400 VALIDATION_ERROR', faults: ['generations.1.timestamp'] });
    expect((answer.body as unknown as Refused).error.details?.badRows).toEqual([1]);
    expect(answer.text).toContain('is older than the 5 days for which calls are kept');
    expect(await found(tenant)).toEqual([]);
  });

  it('has duplicates only among the calls of its own project', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)];
    const call = aCall();
    expect(await written(theirs, call)).toMatchObject({ accepted: 1 });
    expect(await written(mine, call)).toMatchObject({ accepted: 1 });
  });

  it('sent many times at once is written once', async () => {
    const tenant = await makeTenant(service);
    const calls = Array.from({ length: 50 }, () => aCall({ model: `m${Math.random()}` }));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => written(tenant, ...(i % 2 ? calls : calls.toReversed()))),
    );
    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(50);
    expect(await found(tenant)).toHaveLength(50);
  });

  it('of many megabytes, sent many times at once, is written once and as a whole', async () => {
    const tenant = await makeTenant(service);
    const payload = { request: { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(3_000) }] } };
    const calls = Array.from({ length: 1_500 }, (_, at) =>
      aCall({ callId: `${(at * 7) % 1_500} \u{1F600}`, model: `m${at % 300}-${Math.random()}`, payload }),
    );
    const few = calls.filter((_, at) => at % 50 === 0);
    const answers = await Promise.all(
      [calls, few, calls.toReversed(), few.toReversed(), calls].map((given) => written(tenant, ...given)),
    );
    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1_500);
    expect(await found(tenant, { limit: '2000' })).toHaveLength(1_500);
  });

  it('of many megabytes with one bad row is refused as a whole', async () => {
    const tenant = await makeTenant(service);
    const payload = { request: { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(3_000) }] } };
    const calls = Array.from({ length: 1_000 }, () => aCall({ payload }));
    const answer = await write(tenant, ...calls, { ...aCall(), status: 'ok' });
    expect(answer).toMatchObject(faultsAt('generations.1000.status'));
    expect(await found(tenant)).toEqual([]);
  });

  it('with bad rows is refused as a whole, and the error names each of them', async () => {
    const tenant = await makeTenant(service);
    const rows: unknown[] = Array.from({ length: 500 }, () => aCall());
    for (const place of [3, 250, 499]) rows[place] = { ...aCall(), status: 'ok', colour: 'red' };
    const answer = await write(tenant, ...rows);
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(answer.faults).toEqual([3, 250, 499].flatMap((n) => [`generations.${n}.status`, `generations.${n}.colour`]));
    expect(await found(tenant)).toEqual([]);

    const allBad = await write(tenant, ...rows.map(() => ({})));
    const { details } = (allBad.body as unknown as Refused).error;
    expect(details?.badRows).toEqual(rows.map((_, place) => place));
    expect(details).toMatchObject({ more: expect.any(Number) as number });
  });

  it.each([
    [{ callId: '' }, 'callId'],
    [{ callId: undefined }, 'callId'],
    [{ callId: 7 }, 'callId'],
    [{ callId: 'x'.repeat(257) }, 'callId'],
    [{ timestamp: '2026-11-21' }, 'timestamp'],
    [{ timestamp: new Date(Date.now() - 401 * DAY_MS).toISOString() }, 'timestamp'],
    [{ timestamp: new Date(Date.now() + 1.01 * DAY_MS).toISOString() }, 'timestamp'],
    [{ status: 'Success' }, 'status'],
    [{ environment: 'dev' }, 'environment'],
    [{ latencyMs: -1 }, 'latencyMs'],
    [{ inputTokens: 1.5 }, 'inputTokens'],
    [{ inputTokens: '1' }, 'inputTokens'],
    [{ inputTokens: 2 ** 31 }, 'inputTokens'],
    [{ inputTokens: 1, cachedTokens: 2 }, 'cachedTokens'],
    [{ completionTokens: 1, reasoningTokens: 1, outputTokens: 1 }, 'outputTokens'],
    [{ inputTokens: 1, completionTokens: 1, totalTokens: 3 }, 'totalTokens'],
    [{ completionTokens: 2 ** 31 - 1, reasoningTokens: 1 }, 'completionTokens'],
    [{ cost: -0.1 }, 'cost'],
    [{ cost: '1' }, 'cost'],
    [{ streamingUsed: 'yes' }, 'streamingUsed'],
    [{ statusCode: 200.5 }, 'statusCode'],
    [{ source: '' }, 'source'],
    [{ id: 'x' }, 'id'],
    [{ sourceLabel: 'x' }, 'sourceLabel'],
    [{ payloadState: 'available' }, 'payloadState'],
    [{ payload: 'text' }, 'payload'],
    [{ payload: { request: { messages: 'x' } } }, 'payload.request.messages'],
    [{ payload: { response: { text: 1 } } }, 'payload.response.text'],
  ])('is refused if a call has %j', async (changes, path) => {
    const answer = await write(await makeTenant(service), aCall(), aCall(changes));
    expect(answer).toMatchObject(faultsAt(`generations.1.${path}`));
  });

  it.each([null, 7, 'text', []])('is refused with %j in place of a call', async (row) => {
    const answer = await write(await makeTenant(service), row);
    expect(answer).toMatchObject(faultsAt('generations.0'));
  });

  it('has at least one call and at most ten thousand', async () => {
    const tenant = await makeTenant(service);
    expect(await write(tenant)).toMatchObject(faultsAt('generations'));
    const many = Array.from({ length: 10_001 }, (_, i) => ({ callId: `${i}`, timestamp: at(i), status: 'success' }));
    expect(await write(tenant, ...many)).toMatchObject(faultsAt('generations'));
    expect(await written(tenant, ...many.slice(1))).toMatchObject({ accepted: 10_000 });
    expect((await read(tenant, { limit: '10000' })).body).toMatchObject({ total: 10_000, hasMore: false });
  });

  it('may have calls of every month that is kept, and of tomorrow', async () => {
    const tenant = await makeTenant(service);
    const days = [-399, -365, -200, -31, -1, 0, 0.99];
    const calls = days.map((day) => aCall({ timestamp: new Date(Date.now() + day * DAY_MS).toISOString() }));
    await written(tenant, ...calls);
    const [fromDate, toDate] = [-400, 2].map((day) => new Date(Date.now() + day * DAY_MS).toISOString());
    expect(await found(tenant, { fromDate, toDate })).toEqual(calls.map(({ callId }) => callId));
  });
});

it('the answer lists the models of new calls without a cost and without a price', async () => {
  const tenant = await makeTenant(service);
  const calls = [
    aCall({ model: 'nobody-b' }),
    aCall({ model: 'nobody-a' }),
    aCall({ model: 'nobody-c', cost: 1 }),
    aCall(),
  ];
  expect((await written(tenant, ...calls)).unpriced).toEqual(['nobody-a', 'nobody-b', 'unknown']);
  expect((await written(tenant, ...calls)).unpriced).toEqual([]);
});

it('writing needs analytics:write and no other permission', async () => {
  const writer = await makeTenant(service, { permissions: ['analytics:write'] });
  await written(writer, aCall());
  expect((await read(writer)).outcome).toBe('403 PERMISSION_DENIED');
  const reader = await makeTenant(service, { permissions: ['analytics:read'] });
  expect((await reader.api.post(ledgerPath(reader.projectId), { generations: [aCall()] })).outcome).toBe(
    '403 PERMISSION_DENIED',
  );
});
