import { randomBytes } from 'node:crypto';
import { TracesService } from '../../src/modules/traces/traces.service.js';
import type { TraceTree } from '../../src/modules/traces/trace-tree.js';
import type { Id } from '../../src/kernel/ids.js';
import type { Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import type { Service } from '../support/service.js';

export const TRACES = '/api/public/otel/v1/traces';
export const GZIPPED = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

type Value = string | number | boolean | Value[];

/** Spans ended a minute ago, so that they are in the past by every clock. */
const ENDED = Date.now() - 60_000;

export const nanoseconds = (milliseconds: number) => `${milliseconds}000000`;

interface SpanChanges {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  name?: string;
  from?: number;
  to?: number;
  attributes?: Record<string, Value>;
  events?: object[];
  status?: object;
}

export const newTraceId = () => randomBytes(16).toString('hex');
export const newSpanId = () => randomBytes(8).toString('hex');

/** A span of a model call by the current conventions, with the given changes. */
export function aSpan({ attributes, from = ENDED - 1240, to = ENDED, ...changes }: SpanChanges = {}) {
  return {
    traceId: newTraceId(),
    spanId: newSpanId(),
    name: 'chat gpt-4o',
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
    attributes: attributesOf(attributes ?? CHAT),
    ...changes,
  };
}

export type SentSpan = ReturnType<typeof aSpan>;

export const CHAT = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.conversation.id': 'chat-17',
  'gen_ai.usage.input_tokens': 812,
  'gen_ai.usage.output_tokens': 96,
};

export function attributesOf(values: Record<string, Value>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: wrapped(value) }));
}

function wrapped(value: Value): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(wrapped) } };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

export function exportOf(spans: object[], resource: Record<string, Value> = {}) {
  return { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ spans }] }] };
}

export interface Exported {
  partialSuccess?: { rejectedSpans: string; errorMessage: string };
}

export function send({ api }: Tenant, body: object): Promise<Answer<Exported>> {
  return api.post<Exported>(TRACES, body);
}

/** Sends spans, and throws an error with the answer if any was rejected. */
export async function sent(tenant: Tenant, body: object): Promise<void> {
  const { outcome, text } = await send(tenant, body);
  if (outcome !== '200' || text !== '{}') throw new Error(`Sending spans answered ${outcome}: ${text}`);
}

export function sendBytes({ api }: Tenant, bytes: Buffer, headers: Record<string, string>): Promise<Answer<Exported>> {
  return api.send<Exported>('POST', TRACES, { rawBody: new Uint8Array(bytes), headers });
}

export async function tracesOf(service: Service, { projectId }: Tenant, sessionId = 'chat-17'): Promise<TraceTree[]> {
  const page = { page: 1, limit: 100 };
  const { traces } = await service.app.get(TracesService).ofSession(projectId as Id<'project'>, sessionId, page);
  return traces;
}

/** An observation with its children, in order of their start. */
export interface Branch {
  name: string;
  type: string;
  within: Branch[];
}

export function treeOf({ observations }: TraceTree, parentId: string | null = null): Branch[] {
  return observations
    .filter(({ parentObservationId }) => parentObservationId === parentId)
    .map(({ name, type, observationId }) => ({
      name,
      type,
      within: treeOf({ observations } as TraceTree, observationId),
    }));
}
