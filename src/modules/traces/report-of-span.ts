import { type Id, idOfNames } from '../../kernel/ids.js';
import { callOf, payloadOf, sessionOf } from './conventions/call.js';
import { isInference } from './conventions/is-inference.js';
import type { JsonTexts } from './conventions/json-texts.js';
import { contentsOf } from './conventions/messages.js';
import type { Report } from './observing.service.js';
import { keptAttributes } from './otlp/kept-attributes.js';
import type { Span } from './otlp/spans.js';
import { toText } from './otlp/time.js';

/** Returns the id of a trace whose OpenTelemetry id is `traceId`: 32 hexadecimal digits in lower case. */
export function idOfTrace(projectId: Id<'project'>, traceId: string): Id<'trace'> {
  return idOfNames('trace', projectId, traceId);
}

/**
 * Converts a span to a report. Ids are derived from those of OpenTelemetry, so that a span sent twice has the same id,
 * and a child knows the id of a parent that has not arrived.
 */
export function reportOf(projectId: Id<'project'>, span: Span, texts: JsonTexts): Report {
  const { traceId, spanId, parentSpanId } = span;
  const { messages, answer, input, output } = contentsOf(span, texts);
  const call = isInference(span.attributes) ? callOf(span) : null;
  const sentMessages = messages ?? (input === null ? null : [{ role: 'user', content: input }]);
  const payload = call && payloadOf(call.model || 'unknown', sentMessages, answer ?? output);
  const observationId = (name: string) => idOfNames('observation', projectId, traceId, name);
  return {
    observed: {
      id: observationId(spanId),
      traceId: idOfTrace(projectId, traceId),
      parentId: parentSpanId === '' ? null : observationId(parentSpanId),
      sessionId: sessionOf(span),
      name: span.name,
      startedAt: toText(span.startedAt),
      endedAt: toText(span.endedAt),
      status: span.hasFailed ? 'failed' : 'success',
      statusMessage: span.statusMessage,
      input,
      output,
      attributes: keptAttributes(span.attributes),
      otel: { traceId, spanId },
    },
    call: call && { ...call, callId: `${traceId}-${spanId}`, ...(payload && { payload }) },
    startsTrace: false,
  };
}
