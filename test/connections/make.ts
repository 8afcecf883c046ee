import type { Tenant } from '../support/actors.js';
import { uniqueName } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import type { Service } from '../support/service.js';

export const CONNECTIONS = '/api/public/connections';

export interface ConnectionBody {
  connectionId: string;
  connectionName: string;
  provider: string;
  model: string;
  status: string;
  fields: Record<string, unknown>;
  createdOn: string;
  modifiedOn: string;
  unreadable?: true;
  warnings?: { path: string; message: string }[];
}

export const KEY = 'sk-canary-0123456789abcd';
export const MASK = 'sk********abcd';

/** A valid body for each provider. */
export const BODIES = {
  Vendor1: { provider: 'Vendor1', model: 'gpt-4o', fields: { API_KEY: KEY } },
  CloudVendor1: {
    provider: 'CloudVendor1',
    model: 'gpt-4o',
    modelType: 'EASY_INTEGRATION',
    fields: { API_KEY: KEY, api_version: '2026-01-01', your_resource_name: 'our-models', deployment_id: 'main_4.0' },
  },
  Vendor2: {
    provider: 'Vendor2',
    model: 'claude-sonnet',
    modelType: 'EASY_INTEGRATION',
    fields: { API_KEY: KEY },
  },
  API: {
    provider: 'API',
    fields: { BASE_URL: 'https://models.example.com/v1', API_KEY: KEY, MODEL_NAME: 'llama' },
  },
} as const;

/** Valid members of the provider API, which have no effect with the others. */
export const OF_ENDPOINTS = {
  BASE_URL: 'https://models.example.com',
  LLM_API_URL: 'https://models.example.com',
  endpointUrl: 'https://models.example.com',
  LLM_API_KEY: KEY,
  MODEL_NAME: 'llama',
  headers: [{ key: 'x-team', value: 'support' }],
  payload: { prompt: '{{ prompt }}' },
  outputPath: 'text',
  inputTokensPath: 'counts.read',
  outputTokensPath: 'counts.written',
  promptVars: [{ name: 'region' }],
  customVars: [{ name: 'tone', value: 'calm' }],
  mapProvider: 'vendor1Model',
  llmFeatures: { streaming: true },
  IOMapping: 'textToText',
  IOMappings: ['textToText'],
} as const;

export function create(tenant: Tenant, body: object): Promise<Answer<ConnectionBody>> {
  return tenant.api.post<ConnectionBody>(CONNECTIONS, { connectionName: uniqueName('connection'), ...body });
}

/** Creates a connection, and throws an error with the answer if that fails. */
export async function makeConnection(tenant: Tenant, body: object = BODIES.Vendor1): Promise<ConnectionBody> {
  const answer = await create(tenant, body);
  if (answer.status !== 201) throw new Error(`No connection was made: ${answer.text}`);
  return answer.body;
}

export function read({ api }: Tenant, connectionId: string): Promise<Answer<ConnectionBody>> {
  return api.get<ConnectionBody>(`${CONNECTIONS}/${connectionId}`);
}

export function change({ api }: Tenant, connectionId: string, fields: object): Promise<Answer<ConnectionBody>> {
  return api.patch<ConnectionBody>(`${CONNECTIONS}/${connectionId}`, { fields });
}

/** Leaves the connection as it is when the plugin that brought its protocol is no longer installed. */
export async function forgetProtocolOf({ database }: Service, connectionId: string): Promise<void> {
  await database.rows(`update connection set provider = 'Acme' where id = $1`, [connectionId]);
}
