import { type Id, idOfNames } from '../../../kernel/ids.js';
import { callOf, type InferenceCall, payloadOf, sessionOf } from '../conventions/call.js';
import { isInference } from '../conventions/is-inference.js';
import { contentsOf } from '../conventions/messages.js';
import type { Observed } from '../observed.js';
import { keptAttributes, keptText } from './kept.js';
import type { Span } from './spans.js';
import { toText } from './time.js';

/** What a span is to this service: an observation, and of a call of a model a row of the ledger too. */
export interface ReadSpan {
  observed: Omit<Observed, 'generation'>;
  call: (InferenceCall & { callId: string; payload?: object }) | null;
}

/** Traces and spans have names already, from which their ids follow: a repeat, or a parent to come, has the same. */
export function readSpan(projectId: Id<'project'>, span: Span): ReadSpan {
  const { traceId, spanId, parentSpanId } = span;
  const { messages, answer, input, output } = contentsOf(span);
  const payload = payloadOf(messages, answer);
  const observationId = (name: string) => idOfNames('observation', projectId, traceId, name);
  return {
    observed: {
      id: observationId(spanId),
      traceId: idOfNames('trace', projectId, traceId),
      parentId: parentSpanId === '' ? null : observationId(parentSpanId),
      sessionId: sessionOf(span),
      name: keptText(span.name, 256),
      startedAt: toText(span.startedAt),
      endedAt: toText(span.endedAt),
      status: span.hasFailed ? 'failed' : 'success',
      statusMessage: keptText(span.statusMessage, 1_000),
      input: input === null ? null : keptText(input),
      output: output === null ? null : keptText(output),
      attributes: keptAttributes(span.attributes),
    },
    call: isInference(span.attributes)
      ? { ...callOf(span), callId: `${traceId}-${spanId}`, ...(payload && { payload }) }
      : null,
  };
}
