import { createHash } from 'node:crypto';
import type { Pricing } from '../call.entity.js';
import type { GivenCall } from '../call.schema.js';
import { foldSource, isOfDesignTime, sourceLabel, sourceToKeep, subtypeLabel, subtypeToKeep } from '../spellings.js';

export interface Cost {
  amount: number;
  pricing: Pricing;
}

export interface Priced {
  model: string;
  provider: string;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** Reckons what a call cost that did not say so itself. */
export type Reckon = (call: Priced) => Cost;

/** The values that calls are filtered by. Every combination of a project is one row of `ledger_dim`. */
export interface Dim {
  dim: string;
  channel: string;
  channelType: string;
  source: string;
  sourceFolded: string;
  subtype: string;
  status: string;
  model: string;
  provider: string;
  environment: string;
  name: string;
}

/** A call as the tables keep it. Its number is given by the database, so its id and JSON have a gap for it. */
export interface StoredCall {
  callId: string;
  time: Date;
  sessionId: string;
  dim: Dim;
  cost: Cost;
  latencyMs: number;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  totalTokens: number;
  idBeforeNumber: string;
  jsonBeforeNumber: string;
  jsonAfterNumber: string;
  payload: string | null;
}

/** The call with its defaults, under its current names, rendered once for all answers that will show it. */
export function toStoredCall(given: GivenCall, reckon: Reckon): StoredCall {
  const { callId, timestamp: time, sessionId, latencyMs, status } = given;
  const model = given.model || 'unknown';
  const provider = given.provider || 'unknown';
  const source = sourceToKeep(given.source ?? 'runtime');
  const isDesignTime = given.source === undefined ? isOfNoConversation(given) : isOfDesignTime(source);
  const { environment, channel, channelType } = isDesignTime ? OF_NO_CONVERSATION : given;
  const sourceSubtype = subtypeToKeep(given.sourceSubtype, given.source);
  const agentName = given.agentName || sourceSubtype || provider;
  const cost = costOf(given, model, provider, reckon);
  const outputTokens = given.completionTokens + given.reasoningTokens;
  const totalTokens = given.inputTokens + outputTokens;
  const timestamp = time.toISOString();
  const counts = [given.inputTokens, outputTokens, latencyMs].join(':');
  const idBeforeNumber = `${sessionId}:${callId}:${timestamp}:${model}:${provider}:${counts}:`;
  const record = {
    model,
    agentName,
    provider,
    environment,
    status,
    inputTokens: given.inputTokens,
    cachedTokens: given.cachedTokens,
    completionTokens: given.completionTokens,
    reasoningTokens: given.reasoningTokens,
    outputTokens,
    totalTokens,
    latencyMs,
    timeToFirstTokenMs: given.timeToFirstTokenMs,
    streamingUsed: given.streamingUsed,
    cost: cost.amount,
    timestamp,
    sessionId,
    callId,
    traceId: given.traceId,
    eventId: given.eventId,
    source,
    sourceSubtype,
    sourceLabel: sourceLabel(source),
    sourceSubtypeLabel: subtypeLabel(sourceSubtype),
    sourceId: given.sourceId,
    ...(!isDesignTime && { channel, channelType }),
    statusCode: given.statusCode ?? (status === 'success' ? 200 : 500),
  };
  return {
    callId,
    time,
    sessionId,
    dim: toDim({
      channel,
      channelType,
      source,
      sourceFolded: foldSource(source),
      subtype: sourceSubtype,
      status,
      model,
      provider,
      environment,
      name: agentName,
    }),
    cost,
    latencyMs,
    inputTokens: given.inputTokens,
    cachedTokens: given.cachedTokens,
    completionTokens: given.completionTokens,
    reasoningTokens: given.reasoningTokens,
    totalTokens,
    idBeforeNumber,
    jsonBeforeNumber: `{"id":${JSON.stringify(idBeforeNumber).slice(0, -1)}`,
    jsonAfterNumber: `",${JSON.stringify(record).slice(1, -1)}`,
    payload: payloadText(given),
  };
}

/** The writer's word stands; without it the prices of the moment do. */
function costOf(given: GivenCall, model: string, provider: string, reckon: Reckon): Cost {
  return given.cost === undefined ? reckon({ ...given, model, provider }) : { amount: given.cost, pricing: 'o' };
}

/** The values of a call that was made outside any conversation. */
const OF_NO_CONVERSATION = { environment: '', channel: '', channelType: '' } as const;

/** A call without a source is one of design time if it names neither an environment nor a channel. */
function isOfNoConversation({ environment, channel, channelType }: GivenCall): boolean {
  return environment === '' && channel === '' && channelType === '';
}

/** The combination of filter values with its channel and environment removed. */
export function withoutConversation(dim: Dim): Dim {
  return toDim({ ...dim, ...OF_NO_CONVERSATION });
}

function payloadText({ payload }: GivenCall): string | null {
  if (!payload || !Object.values(payload).some(saysSomething)) return null;
  const { request, response, ...more } = payload;
  return JSON.stringify({ request, response, ...more });
}

/** A payload that is null or empty on all sides is as good as none, and is read as missing. */
function saysSomething(side: unknown): boolean {
  if (typeof side !== 'object') return true;
  return side !== null && Object.keys(side).length > 0;
}

const known = new Map<string, string>();
const KNOWN_AT_MOST = 100_000;

function toDim(values: Omit<Dim, 'dim'>): Dim {
  const { channel, channelType, source, sourceFolded, subtype, status, model, provider, environment, name } = values;
  // The hash depends on this order: with another one, new calls would not share the stored combinations.
  const inOrder = [channel, channelType, source, sourceFolded, subtype, status, model, provider, environment, name];
  const key = JSON.stringify(inOrder);
  let dim = known.get(key);
  if (!dim) {
    if (known.size >= KNOWN_AT_MOST) known.clear();
    dim = createHash('sha256').update(key).digest('hex').slice(0, 32);
    known.set(key, dim);
  }
  return { ...values, dim };
}
