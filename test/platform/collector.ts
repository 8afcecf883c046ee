import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { TRACE_PROTO } from '../../src/modules/traces/otlp/trace-proto.js';

export interface SentSpan {
  service: string;
  /** The process in which the span ran. */
  resource: Record<string, unknown>;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  isFailed: boolean;
}

export interface SentMetric {
  name: string;
  gauge?: { dataPoints: object[] };
  sum?: { dataPoints: { asDouble?: number }[] };
  histogram?: { dataPoints: { count: string; bucketCounts: string[]; explicitBounds: number[] }[] };
}

/** A collector of OpenTelemetry on a real socket, which decodes what the exporters send. */
export class Collector {
  readonly spans: SentSpan[] = [];
  /** All that was sent of traces, unpacked, so that texts are readable in it. */
  readonly traceBytes: Buffer[] = [];
  /** The metrics of the last export. */
  metrics: SentMetric[] = [];
  readonly headers: Record<string, string>[] = [];

  private constructor(private readonly server: Server) {}

  /** Starts a collector. One that is silent takes requests and answers none. */
  static async start({ isSilent = false } = {}): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (request, response) => {
      collector.headers.push(request.headers as Record<string, string>);
      if (isSilent) return;
      void buffer(request).then((sent) => {
        const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
        if (request.url === '/v1/traces') {
          collector.traceBytes.push(bytes);
          collector.spans.push(...spansIn(bytes));
        } else if (request.url === '/v1/metrics') collector.metrics = metricsIn(bytes);
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The names of the spans that begin directly within this one. */
  within({ spanId }: SentSpan): string[] {
    return this.spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

const TRACES = protobuf.parse(TRACE_PROTO).root.lookupType('otlp.ExportTraceServiceRequest');
const METRICS = protobuf
  .parse(
    `syntax = "proto3";
    message Request { repeated ResourceMetrics resource_metrics = 1; }
    message ResourceMetrics { repeated ScopeMetrics scope_metrics = 2; }
    message ScopeMetrics { repeated Metric metrics = 2; }
    message Metric { string name = 1; oneof data { Points gauge = 5; Points sum = 7; Histogram histogram = 9; } }
    message Points { repeated Point data_points = 1; }
    message Point { double as_double = 4; }
    message Histogram { repeated HistogramPoint data_points = 1; }
    message HistogramPoint {
      fixed64 count = 4; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
    }`,
  )
  .root.lookupType('Request');

const FORM = { longs: String, bytes: String, arrays: true };

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (SentSpan & { attributes: Attribute[]; status?: { code?: number } })[] }[];
  }[];
}

function spansIn(bytes: Buffer): SentSpan[] {
  const { resourceSpans } = TRACES.toObject(TRACES.decode(bytes), FORM) as Sent;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, attributes, status }) => ({
        service: String(membersOf(resource.attributes)['service.instance.id']),
        resource: membersOf(resource.attributes),
        name,
        traceId,
        spanId,
        parentSpanId,
        attributes: membersOf(attributes),
        isFailed: status?.code === 2,
      })),
    ),
  );
}

function metricsIn(bytes: Buffer): SentMetric[] {
  const decoded = METRICS.toObject(METRICS.decode(bytes), FORM) as {
    resourceMetrics: { scopeMetrics: { metrics: SentMetric[] }[] }[];
  };
  return decoded.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
}

const membersOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
