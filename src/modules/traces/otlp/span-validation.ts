import { clock } from '../../../kernel/clock.js';
import { DAY_MS, HOUR_MS } from '../../../kernel/spans.js';
import { MAX_KEPT_DAYS } from '../traces.retention.js';
import type { PartialSuccess } from './export-traces.schema.js';
import type { Span } from './spans.js';
import { toMilliseconds } from './time.js';

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/;

export interface ValidatedSpans {
  good: Span[];
  /** The part of OTLP's answer about the other spans, if there are any. */
  partialSuccess?: PartialSuccess;
}

/** Separates valid spans from bad ones. A bad span is reported and does not affect the others of its request. */
export function validateSpans(spans: readonly Span[]): ValidatedSpans {
  const good: Span[] = [];
  const reasons = new Map<string, number>();
  for (const span of spans) {
    const fault = faultOf(span);
    if (fault === undefined) good.push(span);
    else reasons.set(fault, (reasons.get(fault) ?? 0) + 1);
  }
  if (reasons.size === 0) return { good };
  const errorMessage = [...reasons].map(([reason, count]) => `${count} × ${reason}`).join('; ');
  return { good, partialSuccess: { rejectedSpans: String(spans.length - good.length), errorMessage } };
}

function faultOf({ traceId, spanId, parentSpanId, startedAt, endedAt }: Span): string | undefined {
  if (!TRACE_ID.test(traceId)) return 'traceId is not 32 hexadecimal digits, or is all zeros';
  if (!SPAN_ID.test(spanId)) return 'spanId is not 16 hexadecimal digits, or is all zeros';
  if (parentSpanId !== '' && !SPAN_ID.test(parentSpanId)) return 'parentSpanId is not 16 hexadecimal digits';
  if (!(endedAt >= startedAt)) return 'the span has no start, or no end after its start';
  const now = clock.now().getTime();
  if (now - toMilliseconds(startedAt) > MAX_KEPT_DAYS * DAY_MS) return `the span is older than ${MAX_KEPT_DAYS} days`;
  if (toMilliseconds(endedAt) - now > HOUR_MS) return 'the span ends more than an hour in the future';
  return undefined;
}
