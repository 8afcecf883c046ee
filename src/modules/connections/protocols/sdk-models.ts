import { once } from '../../../kernel/once.js';
import type { ModelProtocol } from '../../gateway/gateway.port.js';
import type { Endpoint, MakeProtocol } from './endpoint.js';

// Each client is loaded for its first call, because most processes need at most one of these large packages.
const openAiClient = once(() => import('@ai-sdk/openai'));
const anthropicClient = once(() => import('@ai-sdk/anthropic'));
const azureClient = once(() => import('@ai-sdk/azure'));

/** Passed as the key if the endpoint needs none, because the clients require one. */
const NO_KEY = 'none';

/** The chat completions of OpenAI, which many other providers offer as well. */
export const openAi: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  loadedWhenCalled('openai.chat', model, async () => {
    const { createOpenAI } = await openAiClient();
    return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model);
  });

/** The Messages API of Anthropic. */
export const anthropic: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  loadedWhenCalled('anthropic.messages', model, async () => {
    const { createAnthropic } = await anthropicClient();
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
  });

export interface AzureEndpoint extends Endpoint {
  readonly apiVersion: string;
  readonly deployment: string;
}

/** Chat completions of a deployment on Azure. */
export const azure: MakeProtocol<AzureEndpoint> = ({ baseUrl, apiKey = NO_KEY, apiVersion, deployment, fetch }) =>
  loadedWhenCalled('azure.chat', deployment, async () => {
    const { createAzure } = await azureClient();
    return createAzure({ baseURL: baseUrl, apiKey, apiVersion, useDeploymentBasedUrls: true, fetch }).chat(deployment);
  });

/** Stands for a model until its first call, which loads the client of the provider. */
function loadedWhenCalled(provider: string, modelId: string, load: () => Promise<ModelProtocol>): ModelProtocol {
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: async (request) => (await load()).doGenerate(request),
    doStream: async (request) => (await load()).doStream(request),
  };
}
