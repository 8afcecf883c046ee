import { createAzure } from '@ai-sdk/azure';
import type { Endpoint, MakeProtocol } from './endpoint.js';
import { NO_KEY } from './openai.js';

export interface AzureEndpoint extends Endpoint {
  readonly apiVersion: string;
  readonly deployment: string;
}

/** Chat completions of a deployment on Azure. */
export const azure: MakeProtocol<AzureEndpoint> = ({ baseUrl, apiKey = NO_KEY, apiVersion, deployment, fetch }) =>
  createAzure({ baseURL: baseUrl, apiKey, apiVersion, useDeploymentBasedUrls: true, fetch }).chat(deployment);
