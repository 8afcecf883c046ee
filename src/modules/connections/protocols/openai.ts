import { createOpenAI } from '@ai-sdk/openai';
import type { MakeProtocol } from './endpoint.js';

/** What stands for a key where the endpoint needs none. */
export const NO_KEY = 'none';

/** Chat completions, as OpenAI and many others serve them. */
export const openAi: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model);
