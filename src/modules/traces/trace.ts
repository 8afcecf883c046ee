import type { ObservationRow, TraceRow } from './store.of-session.js';

/** A trace as it is read. Its name, input and output are those of the observation at its top. */
export interface Trace {
  traceId: string;
  name: string;
  startedAt: Date;
  endedAt: Date;
  latencyMs: number;
  input: string | null;
  output: string | null;
  /** By their begin. */
  observations: Observation[];
}

export interface Observation {
  observationId: string;
  /** Null at the top, and where the parent has not arrived. */
  parentObservationId: string | null;
  type: 'GENERATION' | 'SPAN';
  name: string;
  startedAt: Date;
  endedAt: Date;
  latencyMs: number;
  status: 'success' | 'failed';
  statusMessage: string;
  input: string | null;
  output: string | null;
  model: string | null;
  provider: string | null;
  /** Null for anything but a call of a model. */
  tokenUsage: { input: number; output: number; total: number } | null;
  cost: number | null;
  attributes: Record<string, unknown>;
}

export function toTrace(row: TraceRow, rows: readonly ObservationRow[]): Trace {
  const observations = rows.map(toObservation);
  const top = observations.find(({ parentObservationId }) => parentObservationId === null);
  return {
    traceId: row.id,
    name: top?.name ?? '',
    startedAt: row.started_at,
    endedAt: row.ended_at,
    latencyMs: row.ended_at.getTime() - row.started_at.getTime(),
    input: top?.input ?? null,
    output: top?.output ?? null,
    observations,
  };
}

function toObservation(row: ObservationRow): Observation {
  const { input_tokens: input, output_tokens: output } = row;
  return {
    observationId: row.id,
    parentObservationId: row.parent_id,
    type: row.kind,
    name: row.name,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    latencyMs: row.ended_at.getTime() - row.started_at.getTime(),
    status: row.status,
    statusMessage: row.status_message,
    input: row.input,
    output: row.output,
    model: row.model,
    provider: row.provider,
    tokenUsage: input === null || output === null ? null : { input, output, total: input + output },
    cost: row.cost === null ? null : Number(row.cost),
    attributes: JSON.parse(row.attributes) as Record<string, unknown>,
  };
}
