import { CALL_LIMITS } from '../../ledger/call.schema.js';
import { toEnvironmentName } from '../../tenancy/app.entity.js';
import type { Attributes } from '../otlp/attributes.js';
import type { Span } from '../otlp/spans.js';
import { millisecondsBetween } from '../otlp/time.js';
import type { Message } from './messages.js';
import * as names from './names.js';
import { type Usage, usageOf } from './usage.js';
import { isTrueAt, numberAt, textAt, toCount } from './values.js';

/** A call of a model as its span describes it. */
export interface InferenceCall extends Usage {
  model: string;
  provider: string;
  agentName: string;
  environment: string;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
  streamingUsed: boolean;
  status: 'success' | 'failed';
  statusCode?: number;
  /** The cost that the sender gave. If it is missing, the ledger computes one. */
  cost?: number;
}

export function callOf(span: Span): InferenceCall {
  const { attributes, resource } = span;
  const timeToFirstTokenMs = timeToFirstToken(span);
  const statusCode = statusCodeOf(span);
  const cost = numberAt(attributes, names.COST);
  return {
    ...usageOf(attributes),
    model: toName(textAt(attributes, names.MODEL)),
    provider: providerOf(attributes),
    agentName: toName(textAt(attributes, names.AGENT) ?? textAt(resource, ['service.name'])),
    environment: environmentOf(attributes, resource),
    latencyMs: toCount(millisecondsBetween(span.startedAt, span.endedAt)),
    timeToFirstTokenMs,
    streamingUsed: timeToFirstTokenMs !== null || isStreaming(attributes),
    status: span.hasFailed ? 'failed' : 'success',
    ...(statusCode !== undefined && { statusCode }),
    ...(cost !== undefined && cost >= 0 && cost <= CALL_LIMITS.cost && { cost }),
  };
}

export function sessionOf({ attributes, resource }: Span): string {
  return toName(textAt(attributes, names.SESSION) ?? textAt(resource, names.SESSION));
}

/** Builds the payload in the form that the ledger keeps. */
export function payloadOf(model: string, messages: Message[] | null, answer: string | null) {
  if (!messages && answer === null) return undefined;
  return { request: messages && { model, messages }, response: answer === null ? null : { text: answer } };
}

/** The Vercel AI SDK appends the interface that it used to the provider, as in `openai.chat`. It is removed. */
function providerOf(attributes: Attributes): string {
  // Some characters become longer in lower case, so the text is cut afterwards.
  const provider = toName(textAt(attributes, names.PROVIDER)?.toLowerCase());
  return attributes.has('ai.operationId') ? provider.split('.')[0]! : provider;
}

function environmentOf(attributes: Attributes, resource: Attributes): string {
  const given = textAt(attributes, names.ENVIRONMENT) ?? textAt(resource, names.ENVIRONMENT) ?? '';
  return toEnvironmentName(given) ?? '';
}

function timeToFirstToken({ attributes, events, startedAt }: Span): number | null {
  const seconds = numberAt(attributes, names.FIRST_CHUNK_SECONDS);
  if (seconds !== undefined) return toCount(seconds * 1000);
  const milliseconds = numberAt(attributes, names.FIRST_CHUNK_MILLISECONDS);
  if (milliseconds !== undefined) return toCount(milliseconds);
  const first = events.find(({ name }) => names.FIRST_CHUNK_EVENTS.includes(name))?.at ?? Number.NaN;
  return Number.isNaN(first) ? null : toCount(millisecondsBetween(startedAt, first));
}

function isStreaming(attributes: Attributes): boolean {
  const operation = textAt(attributes, ['ai.operationId']);
  return isTrueAt(attributes, names.IS_STREAMING) || operation?.endsWith('.doStream') === true;
}

function statusCodeOf({ attributes, hasFailed }: Span): number | undefined {
  const code = hasFailed ? numberAt(attributes, names.HTTP_STATUS) : undefined;
  return code !== undefined && Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined;
}

function toName(text = ''): string {
  return text.slice(0, CALL_LIMITS.name).toWellFormed();
}
