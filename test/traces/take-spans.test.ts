import { DAY_MS } from '../../src/kernel/spans.js';
import { found, read } from '../ledger/calls.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aSpan, CHAT, exportOf, sent, tracesOf } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

it('a span of a model call becomes a ledger row and an observation', async () => {
  const tenant = await makeTenant(service);
  const span = aSpan();
  await sent(tenant, exportOf([span], { 'service.name': 'Returns desk', 'deployment.environment.name': 'production' }));

  const [trace] = await tracesOf(service, tenant);
  const { body } = await read(tenant, { dataMode: 'full' });
  expect(body.generations).toMatchObject([
    {
      callId: `${span.traceId}-${span.spanId}`,
      traceId: trace!.traceId,
      sessionId: 'chat-17',
      model: 'gpt-4o',
      provider: 'openai',
      agentName: 'Returns desk',
      environment: 'production',
      status: 'success',
      inputTokens: 812,
      outputTokens: 96,
      latencyMs: 1240,
      cost: 0.00299,
      payloadState: 'missing',
    },
  ]);
  expect(trace).toMatchObject({ traceId: expect.stringMatching(/^t-\w{22}$/) as string, name: 'chat gpt-4o' });
  expect(trace!.observations).toMatchObject([
    {
      observationId: expect.stringMatching(/^o-\w{22}$/) as string,
      parentObservationId: null,
      type: 'GENERATION',
      name: 'chat gpt-4o',
      latencyMs: 1240,
      model: 'gpt-4o',
      provider: 'openai',
      tokenUsage: { input: 812, output: 96, total: 908 },
      cost: 0.00299,
    },
  ]);
});

it('a call that is older than the retention of its project gets no ledger row', async () => {
  const tenant = await makeTenant(service);
  await administratorOf(service).put(`/api/admin/v1/projects/${tenant.projectId}/retention`, { days: { calls: 5 } });
  const ended = Date.now() - 6 * DAY_MS;
  await sent(tenant, exportOf([aSpan({ from: ended - 1000, to: ended }), aSpan()]));
  expect((await tracesOf(service, tenant)).flatMap(({ observations }) => observations)).toHaveLength(2);
  expect(await found(tenant)).toHaveLength(1);
});

it('short attributes are kept, and only the first of many', async () => {
  const tenant = await makeTenant(service);
  const short = { 'a.text': 'x'.repeat(998), 'a.list': ['x'.repeat(990)] };
  const long = { 'a.long.text': 'x'.repeat(1_001), 'a.long.list': ['x'.repeat(1_001)] };
  const more = Object.fromEntries(Array.from({ length: 128 }, (_, at) => [`more.${at}`, at]));
  await sent(tenant, exportOf([aSpan({ attributes: { ...CHAT, ...long, ...short, ...more } })]));
  const [trace] = await tracesOf(service, tenant);
  const { attributes } = trace!.observations[0]!;
  expect(attributes).toMatchObject({ ...CHAT, ...short });
  expect(Object.keys(attributes).filter((name) => name in long)).toEqual([]);
  expect(Object.keys(attributes)).toHaveLength(128);
});
