import { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelRequest } from '../../gateway/gateway.port.js';
import type { MakeProtocol } from './endpoint.js';
import { NO_KEY } from './openai.js';

/** The Messages API of Anthropic. */
export const anthropic: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);

/**
 * Returns why the protocol does not support the request. It would silently ignore JSON without a schema, and answer
 * prose.
 */
export function anthropicRefusal({ responseFormat }: ModelRequest): string | undefined {
  const isAnyJson = responseFormat?.type === 'json' && responseFormat.schema === undefined;
  return isAnyJson ? 'answers with JSON only if response_format has a schema' : undefined;
}
