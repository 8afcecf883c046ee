import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { administratorOf, makeProject, makeScope } from '../support/actors.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startProcess } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { openChannel, replyTo, send } from '../webhooks/channel.js';
import { Collector, type SentSpan } from './collector.js';

const collector = await Collector.start();
const receiver = await Receiver.start();
const service = await startService({
  SLIPWAY_ROLE: 'api',
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b',
  OTEL_SERVICE_NAME: 'front',
});
const worker = await startProcess({ ...service.settings, SLIPWAY_ROLE: 'worker', OTEL_SERVICE_NAME: 'back' });
afterAll(async () => {
  await Promise.all([collector.stop(), receiver.stop()]);
});

const traceId = randomBytes(16).toString('hex');
const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;

/** PostgreSQL names it in the detail of its error when it is there already. */
const TAKEN = 'a-name-that-is-taken';

/** Sends a message within a trace of the caller, and waits for its callback. Both processes stop and export the rest. */
beforeAll(async () => {
  const channel = await openChannel(service, { callbackUrl: receiver.url('traced'), events: ['agent.response'] });
  const { tenant } = channel;
  await makeProject(service, "The doctor's \\ project 20471147");
  const { subscriptionId } = channel.subscription;
  const displayName = 'update Schmidtberlin from Nowhereville';
  await administratorOf(service).patch(`/api/admin/v1/webhook-subscriptions/${subscriptionId}`, { displayName });
  await makeScope(service, tenant.appId, { name: TAKEN });
  await expect(makeScope(service, tenant.appId, { name: TAKEN })).rejects.toThrow('409');
  const answer = await send(channel, {}, { headers: { traceparent } });
  await replyTo(receiver, answer.body);
  await eventually(
    () => service.database.rows(`select from job where state in ('running', 'queued') and every is null`),
    (jobs) => jobs.length === 0,
  );
  await worker.stop();
  await service.stop();
});

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');
const ofTrace = () => collector.spans.filter((span) => hex(span.traceId) === traceId);
const named = (name: string | RegExp) => ofTrace().filter((span) => span.name.match(name));

it('makes a message, its statements, its turn in another process, and the callback one trace', () => {
  const [request] = named(/^POST \/api/);
  expect(request!.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': '202',
    'slipway.request.id': expect.stringMatching(/^tr-/) as unknown,
  });
  expect(collector.within(request!)).toEqual(expect.arrayContaining(['commit']));
  const jobs = named(/^job /);
  expect(jobs.map(({ name }) => name)).toEqual(expect.arrayContaining(['job agents.turn', 'job webhooks.deliver']));
  const processes = (spans: SentSpan[]) => [...new Set(spans.map(({ service: process }) => process))];
  expect(processes(jobs)).toHaveLength(1);
  expect(processes(ofTrace())).toHaveLength(2);
});

it('records the call of the model by the conventions for generative AI', () => {
  const [call] = named(/^chat /);
  expect(call!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': expect.any(String) as unknown,
    'gen_ai.usage.output_tokens': expect.stringMatching(/^[1-9]/) as unknown,
  });
});

it('continues the trace at the receiver of the callback', () => {
  const [callback] = receiver.at('traced');
  const [, ofCallback, spanId] = callback!.headers['traceparent']!.split('-');
  expect(ofCallback).toBe(traceId);
  expect(named('POST 127.0.0.1').map((span) => hex(span.spanId))).toContain(spanId);
});

it('shows the text of a statement without its values', () => {
  const [lock] = named(/^(insert|with|select) /);
  expect(lock!.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.query.text': expect.stringContaining('$1') as unknown,
  });
  const [project] = collector.spans.filter(({ name }) => name === 'insert project');
  expect(project!.attributes['db.query.text']).toMatch(/values \([?, ]+\)/);
  const sent = Buffer.concat(collector.traceBytes);
  expect(collector.spans.map(({ name }) => name)).toContain('update webhook_subscription');
  for (const value of ['Hello there', 'doctor', '20471147', 'Schmidtberlin', 'Nowhereville'])
    expect(sent.includes(value)).toBe(false);
});

it('leaves out the message of an error, and has its code', () => {
  const failed = collector.spans.filter(({ isFailed }) => isFailed);
  expect(failed.map(({ name, attributes }) => `${name}: ${String(attributes['error.type'])}`)).toEqual([
    'insert scope: 23505',
  ]);
  const sent = Buffer.concat(collector.traceBytes);
  expect(sent.includes('insert scope')).toBe(true);
  expect(sent.includes(TAKEN)).toBe(false);
  expect(sent.includes('duplicate key')).toBe(false);
});

it('leaves out what the process does for itself', () => {
  const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === '');
  expect(roots.map(({ name }) => name).filter((name) => !/^(POST|GET|PUT|DELETE|PATCH|job) /.test(name))).toEqual([]);
  expect(roots.map(({ name }) => name).filter((name) => /health|metrics/.test(name))).toEqual([]);
});

it('sends every metric that Prometheus reads, with the headers of the setting', async () => {
  expect(collector.metrics.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['slipway_http_request_duration_seconds', 'slipway_http_requests_running']),
  );
  const durations = collector.metrics.find(({ name }) => name === 'slipway_http_request_duration_seconds')!;
  for (const { count, bucketCounts, explicitBounds } of durations.histogram!.dataPoints) {
    expect(bucketCounts.reduce((sum, one) => sum + Number(one), 0)).toBe(Number(count));
    expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
  }
  expect(new Set(collector.headers.map((headers) => headers['x-team']))).toEqual(new Set(['a b']));
});

it('serves requests and stops as usual while the collector is away, and says so in the log', async () => {
  const settings = { ...service.settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', LOG_LEVEL: 'warn' };
  const lonely = await startProcess(settings);
  expect((await new Client(lonely.url).get('/docs', { headers: { traceparent: 'nonsense' } })).status).toBe(200);
  expect(await lonely.stop()).toEqual({ code: 0, signal: null });
  expect(lonely.output()).toContain('Telemetry was not sent');
});

it.each([
  ['loads nothing of the SDK without the setting', {}, false],
  ['loads the SDK with the setting', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
])('%s', async (_, endpoint, isLoaded) => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _without, ...settings } = service.settings;
  // When the process ends, V8 writes the addresses of all scripts that it has loaded.
  const folder = join(process.env.TEST_FOLDER!, `loaded-${isLoaded}`);
  const other = await startProcess({ ...settings, ...endpoint, NODE_V8_COVERAGE: folder });
  expect((await new Client(other.url).get('/docs')).status).toBe(200);
  await other.stop();
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const loaded = written.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
  const ofSdk = loaded.filter(({ url }) => /otlp-export|@opentelemetry\/(?!api\/)/.test(url));
  expect(loaded.some(({ url }) => url.includes('@opentelemetry/api/'))).toBe(true);
  expect(ofSdk.length > 0).toBe(isLoaded);
});
