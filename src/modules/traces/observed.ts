import type { Id } from '../../kernel/ids.js';
import { partsByLength } from '../../kernel/parts.js';
import { storableText } from '../../kernel/storable-text.js';

/** An observation before it is stored: a call of a model, or anything else that took time. */
export interface Observed {
  id: Id<'observation'>;
  traceId: Id<'trace'>;
  /** The parent may arrive later than its children, or never. */
  parentId: Id<'observation'> | null;
  /** Empty if the sender did not name one. The session of its trace applies then. */
  sessionId: string;
  name: string;
  /** RFC 3339, with microseconds if they are known. */
  startedAt: string;
  endedAt: string;
  status: 'success' | 'failed';
  statusMessage: string;
  input: string | null;
  output: string | null;
  /** All other short attributes, as JSON. */
  attributes: string;
  /** Null unless this is a call of a model. */
  generation: Generation | null;
  /** The id of the model whose failure this is, as the gateway knows it. */
  failedModelId?: string;
  /** The ids of OpenTelemetry, if the observation arrived over OTLP. */
  otel?: { traceId: string; spanId: string };
}

export interface Generation {
  model: string;
  provider: string;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

/** About so many characters of an observation are in its other columns. */
const LENGTH_OF_IDS_AND_TIMES = 200;

/**
 * Converts an observation to its row. Characters that PostgreSQL cannot store are replaced, because models, tools and
 * programs send them, and they must not cost the whole observation.
 */
export function toNewRow(projectId: Id<'project'>, observed: Observed) {
  const { sessionId: _, generation, failedModelId, otel, name, statusMessage, input, output, ...rest } = observed;
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
    failedModelId: failedModelId ?? null,
    otelId: otel?.spanId ?? null,
  };
}

function storable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}

/** Whether the observations are too long to be written in one statement. */
export function areMany(observed: readonly Observed[]): boolean {
  return partsByLength(observed, lengthOf).length > 1;
}

/** Divides observations into parts, in the order in which the database locks their traces. */
export function partsOfObserved(observed: readonly Observed[]): readonly (readonly Observed[])[] {
  return areMany(observed) ? partsByLength(observed.toSorted(byTrace), lengthOf) : [observed];
}

function lengthOf({ attributes, input, output }: Observed): number {
  return LENGTH_OF_IDS_AND_TIMES + attributes.length + (input?.length ?? 0) + (output?.length ?? 0);
}

function byTrace(one: Observed, other: Observed): number {
  if (one.traceId !== other.traceId) return one.traceId < other.traceId ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
