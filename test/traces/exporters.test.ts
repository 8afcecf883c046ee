import { SpanStatusCode, trace, ROOT_CONTEXT } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { read } from '../ledger/calls.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { CHAT, TRACES, tracesOf, treeOf } from './spans.js';

const service = await startService();
afterAll(() => service.stop());

type Configuration = NonNullable<ConstructorParameters<typeof ProtobufExporter>[0]>;
type Compression = NonNullable<Configuration['compression']>;

describe.each([
  ['protobuf', ProtobufExporter],
  ['JSON', JsonExporter],
])('the exporter of OpenTelemetry for %s', (_, Exporter) => {
  it.each([
    ['none', 'x-api-key', ''],
    ['gzip', 'authorization', 'Bearer '],
  ])('is understood with the compression %s and its key as %s', async (compression, header, scheme) => {
    const tenant = await makeTenant(service);
    const exporter = new Exporter({
      url: service.url + TRACES,
      headers: { [header]: scheme + tenant.key },
      compression: compression as Compression,
    });
    const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
    const tracer = provider.getTracer('a test');
    const agent = tracer.startSpan('invoke_agent', {
      attributes: { 'gen_ai.operation.name': 'invoke_agent', ...USAGE },
    });
    const chat = tracer.startSpan('chat', { attributes: CHAT }, trace.setSpan(ROOT_CONTEXT, agent));
    chat.setStatus({ code: SpanStatusCode.ERROR, message: 'Too many requests' });
    chat.setAttribute('error.type', '429');
    chat.end();
    agent.end();
    await provider.shutdown();

    const [found] = await tracesOf(service, tenant);
    expect(treeOf(found!)).toEqual([
      { name: 'invoke_agent', type: 'SPAN', within: [{ name: 'chat', type: 'GENERATION', within: [] }] },
    ]);
    const { traceId, spanId } = chat.spanContext();
    const { body } = await read(tenant);
    expect(body.generations).toMatchObject([
      { callId: `${traceId}-${spanId}`, inputTokens: 812, status: 'failed', statusCode: 429, sessionId: 'chat-17' },
    ]);
    expect(body.total).toBe(1);
  });
});

/** Spans that contain calls sum up their tokens. */
const USAGE = { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 812, 'gen_ai.usage.output_tokens': 96 };
