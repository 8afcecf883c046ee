import { mapInSteps } from '../../../kernel/turns.js';
import { type Attributes, readAttributes } from './attributes.js';
import type { ExportTraces, SentSpan } from './export-traces.schema.js';
import { fromNanoseconds, type Microseconds } from './time.js';

export interface SpanEvent {
  name: string;
  at: Microseconds;
  attributes: Attributes;
}

/** A span as it was sent, but with its values unwrapped. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  startedAt: Microseconds;
  endedAt: Microseconds;
  hasFailed: boolean;
  statusMessage: string;
  attributes: Attributes;
  /** The attributes of the process in which the span ran. */
  resource: Attributes;
  events: SpanEvent[];
}

const ERROR_CODES: readonly unknown[] = [2, 'STATUS_CODE_ERROR'];

/** Reads the spans of a request, and gives way meanwhile, because a client decides how many there are. */
export function spansOf(request: ExportTraces): Promise<Span[]> {
  return mapInSteps(sentSpans(request), ({ span, resource }) => readSpan(span, resource));
}

function* sentSpans({ resourceSpans }: ExportTraces): Generator<{ span: SentSpan; resource: Attributes }> {
  for (const { resource: sent, scopeSpans } of resourceSpans ?? []) {
    const resource = readAttributes(sent?.attributes);
    for (const { spans } of scopeSpans ?? []) for (const span of spans ?? []) yield { span, resource };
  }
}

function readSpan(sent: SentSpan, resource: Attributes): Span {
  return {
    traceId: (sent.traceId ?? '').toLowerCase(),
    spanId: (sent.spanId ?? '').toLowerCase(),
    parentSpanId: (sent.parentSpanId ?? '').toLowerCase().replace(/^0+$/, ''),
    name: sent.name ?? '',
    startedAt: fromNanoseconds(sent.startTimeUnixNano),
    endedAt: fromNanoseconds(sent.endTimeUnixNano),
    hasFailed: ERROR_CODES.includes(sent.status?.code),
    statusMessage: sent.status?.message ?? '',
    attributes: readAttributes(sent.attributes),
    resource,
    events: (sent.events ?? []).map(({ name, timeUnixNano, attributes }) => ({
      name: name ?? '',
      at: fromNanoseconds(timeUnixNano),
      attributes: readAttributes(attributes),
    })),
  };
}
