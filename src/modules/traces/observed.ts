import type { Id } from '../../kernel/ids.js';
import { storableText } from '../../kernel/storable-text.js';

/** A piece of work that was done: a call of a model, or anything else that took time. */
export interface Observed {
  id: Id<'observation'>;
  traceId: Id<'trace'>;
  /** It may arrive later than its children, or never. */
  parentId: Id<'observation'> | null;
  /** '' where it is not said: then it is that of its trace. */
  sessionId: string;
  name: string;
  /** RFC 3339, to the microsecond where it is known. */
  startedAt: string;
  endedAt: string;
  status: 'success' | 'failed';
  statusMessage: string;
  input: string | null;
  output: string | null;
  /** What else is known, as JSON. */
  attributes: string;
  /** Null for anything but a call of a model. */
  generation: Generation | null;
  /** The ids of OpenTelemetry, if it came over OTLP. */
  otel?: { traceId: string; spanId: string };
}

export interface Generation {
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

/** Its row. What of its texts cannot be stored, said by models, by those who answer tools or by programs, costs no more. */
export function toNewRow(projectId: Id<'project'>, observed: Observed) {
  const { sessionId: _, generation, otel, name, statusMessage, input, output, ...rest } = observed;
  return {
    projectId,
    ...rest,
    kind: generation ? ('GENERATION' as const) : ('SPAN' as const),
    name: storableText(name),
    statusMessage: storableText(statusMessage),
    input: storable(input),
    output: storable(output),
    model: generation?.model ?? null,
    provider: generation?.provider ?? null,
    inputTokens: generation?.inputTokens ?? null,
    outputTokens: generation?.outputTokens ?? null,
    cost: generation?.cost ?? null,
    otelId: otel?.spanId ?? null,
  };
}

function storable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}
