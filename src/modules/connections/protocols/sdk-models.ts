import type { ModelProtocol } from '../../gateway/gateway.port.js';
import type { Endpoint, MakeProtocol } from './endpoint.js';

/** Passed as the key if the endpoint needs none, because the clients require one. */
const NO_KEY = 'none';

/** The chat completions of OpenAI, which many other providers offer as well. */
export const openAi: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  loadedWhenCalled('openai.chat', model, async () => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).chat(model);
  });

/** The Messages API of Anthropic. */
export const anthropic: MakeProtocol = ({ baseUrl, model, apiKey = NO_KEY, fetch }) =>
  loadedWhenCalled('anthropic.messages', model, async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch }).languageModel(model);
  });

export interface AzureEndpoint extends Endpoint {
  readonly apiVersion: string;
  readonly deployment: string;
}

/** Chat completions of a deployment on Azure. */
export const azure: MakeProtocol<AzureEndpoint> = ({ baseUrl, apiKey = NO_KEY, apiVersion, deployment, fetch }) =>
  loadedWhenCalled('azure.chat', deployment, async () => {
    const { createAzure } = await import('@ai-sdk/azure');
    return createAzure({ baseURL: baseUrl, apiKey, apiVersion, useDeploymentBasedUrls: true, fetch }).chat(deployment);
  });

/** Loads the client of a provider for the first call, because most processes need at most one of these large packages. */
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
