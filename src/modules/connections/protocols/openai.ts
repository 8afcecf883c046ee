import { createOpenAI } from '@ai-sdk/openai';
import type { MakeProtocol } from './endpoint.js';

/** Passed as the key if the endpoint needs none, because the client requires one. */
export const NO_KEY = 'none';

/** The chat completions of OpenAI, which many other providers offer as well. */
export const openAi: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model);
