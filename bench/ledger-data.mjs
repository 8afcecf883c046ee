/**
 * Generates calls like those of real traffic: an agent decides model, provider, source and channel, and projects, hours
 * and sessions are skewed. One project has filter values that are independent of one another, which is the hardest case
 * for the store.
 * @import { GivenCall } from '../dist/src/modules/ledger/call.schema.js'
 */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const DAYS = 90;
export const PROJECTS = 20;
export const ODD_PROJECT = 'p-odd';
/** The times of calls are multiples of this, so that copies of a call fit between it and the next one. */
export const STEP_MS = 10;

const MODELS = [
  ['gpt-4o', 'openai'],
  ['gpt-4o-mini', 'openai'],
  ['gpt-4.1', 'openai'],
  ['claude-opus-4-5', 'anthropic'],
  ['deepseek-chat', 'deepseek'],
  ['qwen-turbo', 'dashscope'],
  ['llama-3.3-70b', 'custom'],
];
const WORK = [
  ['runtime', 'response_generation'],
  ['runtime', 'response_generation'],
  ['runtime', 'tool_result_summarization'],
  ['runtime_internal', 'conversation_history_compaction'],
  ['guardrails', 'guardrails'],
  ['knowledge', 'searchai_query_assistance'],
  ['pipelines', 'routing_pipeline'],
];
const CHANNELS = ['web_chat', 'voice', 'email', 'api', 'sdk_websocket', 'http_async'];
const ENVIRONMENTS = ['production', 'production', 'production', 'staging', 'development'];

/** @param {number} seed */
export function dice(seed) {
  let state = seed >>> 0;
  const roll = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  /** @type {<T>(faces: readonly T[]) => T} */
  const of = (faces) => /** @type {any} */ (faces[Math.floor(roll() * faces.length)]);
  return { roll, of };
}

/**
 * Chooses the project of a call. The first one of twenty has more than a quarter of all calls.
 * @param {number} projects
 */
export function projectPicker(projects) {
  const weights = Array.from({ length: projects }, (_, at) => 1 / (at + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return (/** @type {number} */ point) => {
    let rest = point * sum;
    const found = weights.findIndex((weight) => (rest -= weight) < 0);
    return Math.max(found, 0);
  };
}

/**
 * @param {number} project
 * @param {number} now
 */
export function traffic(project, now) {
  const chance = dice(project * 7919 + 1);
  const agents = Array.from({ length: 24 }, (_, at) => ({
    name: `Agent ${project}-${at}`,
    models: [chance.of(MODELS), chance.of(MODELS)],
    work: [chance.of(WORK), chance.of(WORK), chance.of(WORK)],
    channels: [chance.of(CHANNELS), chance.of(CHANNELS)],
    environment: chance.of(ENVIRONMENTS),
  }));
  let made = 0;
  return (/** @type {number} */ part) => {
    made += 1;
    const { roll, of } = chance;
    const agent = agents[Math.floor(roll() ** 2 * agents.length)] ?? /** @type {typeof agents[0]} */ (agents[0]);
    const [model = '', provider = ''] = agent.models[roll() < 0.9 ? 0 : 1] ?? [];
    const [source = '', sourceSubtype = ''] = of(agent.work);
    const isDesignTime = roll() < 0.03;
    return /** @type {GivenCall} */ ({
      ...counts(chance),
      callId: `call-${project}-${made}`,
      timestamp: timeOf(part, now),
      status: roll() < 0.97 ? 'success' : 'failed',
      model,
      provider,
      agentName: agent.name,
      environment: isDesignTime ? '' : agent.environment,
      sessionId: `s-${project}-${Math.floor(made / 8)}`,
      traceId: `t-${project}-${Math.floor(made / 8)}`,
      eventId: '',
      source: isDesignTime ? 'studio_test_calls' : source,
      sourceSubtype: isDesignTime ? 'studio_test_calls' : sourceSubtype,
      sourceId: '',
      channel: isDesignTime ? '' : of(agent.channels),
      channelType: isDesignTime ? '' : 'default',
    });
  };
}

/**
 * Generates calls whose filter values are each drawn independently from many.
 * @param {number} now
 */
export function adversary(now) {
  const chance = dice(99);
  let made = 0;
  const one = (/** @type {string} */ what, /** @type {number} */ many) => `${what} ${Math.floor(chance.roll() * many)}`;
  return (/** @type {number} */ part) => {
    made += 1;
    return /** @type {GivenCall} */ ({
      ...counts(chance),
      callId: `odd-${made}`,
      timestamp: timeOf(part, now),
      status: chance.of(/** @type {const} */ (['success', 'failed'])),
      model: one('model', 40),
      provider: one('provider', 8),
      agentName: one('agent', 60),
      environment: chance.of(/** @type {const} */ (['production', 'staging', 'development'])),
      sessionId: one('session', 5000),
      traceId: '',
      eventId: '',
      source: one('source', 9),
      sourceSubtype: one('subtype', 20),
      sourceId: '',
      channel: one('channel', 12),
      channelType: one('type', 12),
    });
  };
}

/** @param {ReturnType<typeof dice>} chance */
function counts({ roll }) {
  const inputTokens = Math.floor(50 + roll() ** 3 * 8000);
  return {
    inputTokens,
    cachedTokens: roll() < 0.4 ? Math.floor(inputTokens / 2) : 0,
    completionTokens: Math.floor(roll() ** 2 * 900),
    reasoningTokens: roll() < 0.1 ? Math.floor(roll() * 2000) : 0,
    latencyMs: Math.floor(150 + roll() ** 4 * 20000),
    timeToFirstTokenMs: Math.floor(80 + roll() * 600),
    streamingUsed: roll() < 0.7,
  };
}

/**
 * Returns the time of a call. Calls are in order of time, and there are more by day than by night.
 * @param {number} part the part of the whole time that has passed, from 0 to 1
 * @param {number} now
 */
function timeOf(part, now) {
  const days = part * DAYS;
  const day = Math.floor(days);
  const phase = days - day;
  // The curve is steep in the middle, because most calls of a day come around noon.
  const time = phase + (0.8 * Math.sin(2 * Math.PI * phase)) / (2 * Math.PI);
  return new Date(Math.floor((now - (DAYS - day - time) * DAY_MS) / STEP_MS) * STEP_MS);
}
