import { createHash } from 'node:crypto';
import type { Pricing } from '../call.entity.js';
import type { GivenCall } from '../call.schema.js';
import { foldSource, sourceLabel, sourceToKeep, subtypeLabel, subtypeToKeep } from '../spellings.js';

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
    environment: given.environment,
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
    ...(!isDesignTime(given) && { channel: given.channel, channelType: given.channelType }),
    statusCode: given.statusCode ?? (status === 'success' ? 200 : 500),
  };
  return {
    callId,
    time,
    sessionId,
    dim: toDim({
      channel: given.channel,
      channelType: given.channelType,
      source,
      sourceFolded: foldSource(source),
      subtype: sourceSubtype,
      status,
      model,
      provider,
      environment: given.environment,
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

/** Made in no environment and on no channel. */
function isDesignTime({ environment, channel, channelType }: GivenCall): boolean {
  return environment === '' && channel === '' && channelType === '';
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

/** Its hash is made of the values in the order in which they stand in `toStoredCall`: in another they would be others. */
function toDim(values: Omit<Dim, 'dim'>): Dim {
  const key = JSON.stringify(Object.values(values));
  let dim = known.get(key);
  if (!dim) {
    if (known.size >= KNOWN_AT_MOST) known.clear();
    dim = createHash('sha256').update(key).digest('hex').slice(0, 32);
    known.set(key, dim);
  }
  return { dim, ...values };
}
