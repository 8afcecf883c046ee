import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createOpenAI } from '@ai-sdk/openai';
import type { Endpoint, MakeProtocol } from './endpoint.js';

/** Passed as the key if the endpoint needs none, because the clients require one. */
const NO_KEY = 'none';

/** The chat completions of OpenAI, which many other providers offer as well. */
export const openAi: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model);

/** The Messages API of Anthropic. */
export const anthropic: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);

export interface AzureEndpoint extends Endpoint {
  readonly apiVersion: string;
  readonly deployment: string;
}

/** Chat completions of a deployment on Azure. */
export const azure: MakeProtocol<AzureEndpoint> = ({ baseUrl, apiKey = NO_KEY, apiVersion, deployment, fetch }) =>
  createAzure({ baseURL: baseUrl, apiKey, apiVersion, useDeploymentBasedUrls: true, fetch }).chat(deployment);
