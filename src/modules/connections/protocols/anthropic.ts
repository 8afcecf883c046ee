import { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import type { MakeProtocol } from './endpoint.js';
import { NO_KEY } from './openai.js';

/** Messages, as Anthropic serves them. */
export const anthropic: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);

/** What its protocol would leave out of the request without a word, for people: an answer would be prose. */
export function anthropicRefusal({ responseFormat }: ModelRequest): string | undefined {
  const isAnyJson = responseFormat?.type === 'json' && responseFormat.schema === undefined;
  return isAnyJson ? 'answers with JSON only where response_format has a schema for it' : undefined;
}
