import {
  type Attributes,
  context,
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

const tracer = trace.getTracer('slipway');

/** Whether the spans of this process are exported. Otherwise the functions of this file only run the given work. */
let isTracing = false;

export function setTracing(isOn: boolean): void {
  isTracing = isOn;
}

interface SpanStart {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
}

/** Starts the span of a request within the trace of its caller, if the caller names one in `traceparent`. */
export function startRequestSpan(name: string, headers: object): { span: Span; context: Context } | undefined {
  if (!isTracing) return undefined;
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, caller);
  return { span, context: trace.setSpan(caller, span) };
}

/** Runs work as a span within the current one. Work of the process itself, which has no current one, leaves no span. */
export function inSpan<T>(describe: () => SpanStart, work: () => Promise<T>): Promise<T> {
  if (!isTracing || !trace.getActiveSpan()) return work();
  return runIn(context.active(), describe(), work);
}

/** Runs work that was caused elsewhere, as a span within the trace of its cause, or within a new one. */
export function inSpanOf<T>(cause: string | null, describe: () => SpanStart, work: () => Promise<T>): Promise<T> {
  if (!isTracing) return work();
  return runIn(propagation.extract(ROOT_CONTEXT, { traceparent: cause ?? undefined }), describe(), work);
}

/** Adds a span that ends now, within the current one. */
export function addSpan(describe: () => SpanStart, startTime: Date, isFailed: boolean): void {
  if (!isTracing || !trace.getActiveSpan()) return;
  const { name, ...options } = describe();
  const span = tracer.startSpan(name, { ...options, startTime });
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Notes how the work of the current span ended. */
export function noteOutcome(attribute: string, outcome: string, isFailed: boolean): void {
  if (!isTracing) return;
  const span = trace.getActiveSpan()?.setAttribute(attribute, outcome);
  if (isFailed) span?.setStatus({ code: SpanStatusCode.ERROR });
}

/** The current span as W3C's `traceparent`, for work that it causes elsewhere. Null without a current span. */
export function currentTraceParent(): string | null {
  const carrier: { traceparent?: string } = {};
  if (isTracing) propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Adds the header that continues the current trace at the receiver of a request. */
export function withTraceHeaders(headers: RequestInit['headers']): RequestInit['headers'] {
  const traceparent = currentTraceParent();
  return traceparent === null ? headers : [...new Headers(headers), ['traceparent', traceparent]];
}

async function runIn<T>(parent: Context, { name, ...options }: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = tracer.startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    noteFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Notes the code or class of an error. Its message is left out, because it may contain data of users. */
function noteFailure(span: Span, error: unknown): void {
  const { code } = error as { code?: unknown };
  const type = typeof code === 'string' ? code : error instanceof Error ? error.name : 'Error';
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}
