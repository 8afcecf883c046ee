/**
 * The names that several conventions give to the same fact, the most specific name first. They are OpenTelemetry
 * (`gen_ai.…`, current and earlier names), OpenLLMetry of Traceloop (`traceloop.…`, `llm.usage.…`), OpenInference
 * (`llm.token_count.…`) and the Vercel AI SDK (`ai.…`).
 */
export const MODEL = [
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.response.model',
  'llm.request.model',
  'llm.model_name',
  'ai.response.model',
  'ai.model.id',
];

export const PROVIDER = ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system', 'ai.model.provider'];

export const INPUT_TOKENS = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.usage.prompt_tokens',
  'llm.token_count.prompt',
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
];

export const CACHED_TOKENS = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
];

export const OUTPUT_TOKENS = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.usage.completion_tokens',
  'llm.token_count.completion',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
];

export const REASONING_TOKENS = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'llm.usage.reasoning_tokens',
  'llm.token_count.completion_details.reasoning',
  'ai.usage.reasoningTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
];

export const COST = ['gen_ai.usage.cost', 'llm.cost.total'];

export const FIRST_CHUNK_SECONDS = ['gen_ai.response.time_to_first_chunk', 'gen_ai.server.time_to_first_token'];
export const FIRST_CHUNK_MILLISECONDS = ['ai.response.msToFirstChunk'];
/** Events whose time is that of the first chunk. */
export const FIRST_CHUNK_EVENTS = ['First Token Stream Event', 'llm.content.completion.chunk'];

export const IS_STREAMING = ['gen_ai.request.stream', 'gen_ai.is_streaming', 'llm.is_streaming'];

export const SESSION = [
  'session.id',
  'gen_ai.conversation.id',
  'traceloop.association.properties.session_id',
  'ai.telemetry.metadata.sessionId',
];

export const AGENT = ['gen_ai.agent.name', 'agent.name', 'ai.telemetry.functionId', 'traceloop.workflow.name'];

export const ENVIRONMENT = ['deployment.environment.name', 'deployment.environment'];

export const HTTP_STATUS = ['http.response.status_code', 'http.status_code', 'error.type'];
