import { createAnthropic } from '@ai-sdk/anthropic';
import type { MakeProtocol } from './endpoint.js';
import { NO_KEY } from './openai.js';

/** Messages, as Anthropic serves them. */
export const anthropic: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
