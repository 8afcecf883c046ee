import type { Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';

export const appTracesPath = (appId: string) => `/api/public/apps/${appId}/traces`;

export interface TraceBody {
  traceId: string;
  otelTraceId: string | null;
  name: string;
  status: string;
  sessionId: string;
  startedAt: string;
  latencyMs: number;
  observationCount: number;
}

export interface WholeTrace extends TraceBody {
  isComplete: boolean;
  observations: {
    observationId: string;
    otelSpanId: string | null;
    parentObservationId: string | null;
    type: string;
    name: string;
    input: unknown;
    output: string | null;
    attributes: Record<string, unknown>;
  }[];
}

export interface TracesBody {
  traces: TraceBody[];
  nextCursor: string | null;
}

type Query = Record<string, string>;

export function search({ api, appId }: Tenant, query: Query = {}): Promise<Answer<TracesBody>> {
  return api.get<TracesBody>(appTracesPath(appId), { query });
}

/** Returns the hexadecimal ids of the traces on the first page. */
export async function found(tenant: Tenant, query: Query = {}): Promise<(string | null)[]> {
  const { outcome, text, body } = await search(tenant, query);
  if (outcome !== '200') throw new Error(`Searching traces answered ${outcome}: ${text}`);
  return body.traces.map(({ otelTraceId }) => otelTraceId);
}

export function read({ api, appId }: Tenant, traceId: string): Promise<Answer<WholeTrace>> {
  return api.get<WholeTrace>(`${appTracesPath(appId)}/${traceId}`);
}
