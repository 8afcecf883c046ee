import type { ObservationRow } from './observation.entity.js';
import type { TraceRow } from './trace.entity.js';

/** A trace with its observations. Its name, input and output are those of its first observation without a parent. */
export interface TraceTree {
  traceId: string;
  name: string;
  startedAt: Date;
  endedAt: Date;
  latencyMs: number;
  input: string | null;
  output: string | null;
  /** In order of their start. */
  observations: ObservationNode[];
}

export interface ObservationNode {
  observationId: string;
  otelSpanId: string | null;
  /** Null at the top, and if the parent has not arrived. */
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
  /** Null unless this is a call of a model. */
  tokenUsage: { input: number; output: number; total: number } | null;
  cost: number | null;
  attributes: Record<string, unknown>;
}

export function toTraceTree(row: TraceRow, rows: readonly ObservationRow[]): TraceTree {
  const { id: traceId, startedAt, endedAt } = row;
  const observations = rows.map(toNode);
  const top = observations.find(({ parentObservationId }) => parentObservationId === null);
  return {
    traceId,
    name: top?.name ?? '',
    startedAt,
    endedAt,
    latencyMs: endedAt.getTime() - startedAt.getTime(),
    input: top?.input ?? null,
    output: top?.output ?? null,
    observations,
  };
}

function toNode(row: ObservationRow): ObservationNode {
  const { inputTokens: input, outputTokens: output } = row;
  return {
    observationId: row.id,
    otelSpanId: row.otelId,
    parentObservationId: row.parentId,
    type: row.kind,
    name: row.name,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    latencyMs: row.endedAt.getTime() - row.startedAt.getTime(),
    status: row.status,
    statusMessage: row.statusMessage,
    input: row.input,
    output: row.output,
    model: row.model,
    provider: row.provider,
    tokenUsage: input === null || output === null ? null : { input, output, total: input + output },
    cost: row.cost,
    attributes: JSON.parse(row.attributes) as Record<string, unknown>,
  };
}
