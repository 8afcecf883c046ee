import { createHash } from 'node:crypto';
import { stringifyInSteps } from '../../../kernel/json-steps.js';
import { mapInSteps } from '../../../kernel/turns.js';
import type { PricingSource } from '../call.entity.js';
import type { GivenCall } from '../call.schema.js';
import { foldSource, isOfDesignTime, sourceLabel, sourceToKeep, subtypeLabel, subtypeToKeep } from '../spellings.js';

export interface Cost {
  amount: number;
  pricing: PricingSource;
}

export interface PricedUsage {
  model: string;
  provider: string;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

/** Computes the cost of a call whose writer did not send one. */
export type Pricer = (call: PricedUsage) => Cost;

/** A combination of the values that calls are filtered by, and its hash `dim`. Each is one row of `ledger_dim`. */
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

/**
 * A call as it is sent to the database. The database assigns its number, so its id and its JSON are sent as the parts
 * before and after the number.
 */
export interface StoredCall {
  callId: string;
  time: Date;
  sessionId: string;
  dim: Dim;
  cost: Cost;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
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

/** Fills in defaults, replaces earlier names, computes costs, and renders the JSON that all answers will show. */
export async function toStoredCalls(given: readonly GivenCall[], pricer: Pricer): Promise<StoredCall[]> {
  const withPayload = given.filter(hasPayload);
  const texts = await stringifyInSteps(withPayload.map(keptPayload));
  const payloads = new Map(withPayload.map((call, index) => [call, texts[index]!]));
  return mapInSteps(given, (call) => toStoredCall(call, pricer, payloads.get(call) ?? null));
}

function toStoredCall(given: GivenCall, pricer: Pricer, payload: string | null): StoredCall {
  const { callId, timestamp: time, sessionId, latencyMs, status } = given;
  const model = given.model || 'unknown';
  const provider = given.provider || 'unknown';
  const source = sourceToKeep(given.source ?? 'runtime');
  const isDesignTime = given.source === undefined ? namesNoChannelOrEnvironment(given) : isOfDesignTime(source);
  const { environment, channel, channelType } = isDesignTime ? NO_CHANNEL_OR_ENVIRONMENT : given;
  const sourceSubtype = subtypeToKeep(given.sourceSubtype, given.source);
  const agentName = given.agentName || sourceSubtype || provider;
  const cost = costOf(given, model, provider, pricer);
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
    timeToFirstTokenMs: given.timeToFirstTokenMs,
    inputTokens: given.inputTokens,
    cachedTokens: given.cachedTokens,
    completionTokens: given.completionTokens,
    reasoningTokens: given.reasoningTokens,
    totalTokens,
    idBeforeNumber,
    jsonBeforeNumber: `{"id":${JSON.stringify(idBeforeNumber).slice(0, -1)}`,
    jsonAfterNumber: `",${JSON.stringify(record).slice(1, -1)}`,
    payload,
  };
}

/** The writer's cost takes precedence over current prices. */
function costOf(given: GivenCall, model: string, provider: string, pricer: Pricer): Cost {
  return given.cost === undefined ? pricer({ ...given, model, provider }) : { amount: given.cost, pricing: 'o' };
}

/** The values of a call that was made outside any conversation. */
const NO_CHANNEL_OR_ENVIRONMENT = { environment: '', channel: '', channelType: '' } as const;

/** A call without a source counts as one of design time if it names neither an environment nor a channel. */
function namesNoChannelOrEnvironment({ environment, channel, channelType }: GivenCall): boolean {
  return environment === '' && channel === '' && channelType === '';
}

/** Returns the same combination of filter values without channel and environment. */
export function withoutChannelAndEnvironment(dim: Dim): Dim {
  return toDim({ ...dim, ...NO_CHANNEL_OR_ENVIRONMENT });
}

/** A payload whose members are all null or empty is not kept, and is read as `missing`. */
function hasPayload({ payload }: GivenCall): boolean {
  return payload !== undefined && payload !== null && Object.values(payload).some(hasContent);
}

function keptPayload({ payload }: GivenCall) {
  const { request, response, ...more } = payload!;
  return { request, response, ...more };
}

function hasContent(side: unknown): boolean {
  if (typeof side !== 'object') return true;
  return side !== null && Object.keys(side).length > 0;
}

/** Returns the different combinations of filter values that calls have. */
export function dimsOf(calls: readonly StoredCall[]): Dim[] {
  return [...new Map(calls.map(({ dim }) => [dim.dim, dim])).values()];
}

/** Caches hashes by their values, because calls repeat the same values. */
const dimIds = new Map<string, string>();
const MAX_DIM_IDS = 100_000;

function toDim(values: Omit<Dim, 'dim'>): Dim {
  const { channel, channelType, source, sourceFolded, subtype, status, model, provider, environment, name } = values;
  // The hash depends on this order: with another one, new calls would not share the stored combinations.
  const inOrder = [channel, channelType, source, sourceFolded, subtype, status, model, provider, environment, name];
  const key = JSON.stringify(inOrder);
  let dim = dimIds.get(key);
  if (!dim) {
    if (dimIds.size >= MAX_DIM_IDS) dimIds.clear();
    dim = createHash('sha256').update(key).digest('hex').slice(0, 32);
    dimIds.set(key, dim);
  }
  return { ...values, dim };
}
