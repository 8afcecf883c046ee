import { makeConnection } from '../connections/make.js';
import type { Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';

export const COMPLETIONS = '/api/public/llm/v1/chat/completions';
export const MODELS = '/api/public/llm/v1/models';

export interface CompletionBody {
  id: string;
  model: string;
  choices: {
    message: { content: string | null; tool_calls?: { id: string; function: { name: string; arguments: string } }[] };
    finish_reason: string;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number };
}

export function ask({ api }: Tenant, model: string, more: object = {}): Promise<Answer<CompletionBody>> {
  return api.post<CompletionBody>(COMPLETIONS, { model, messages: [{ role: 'user', content: 'Hello' }], ...more });
}

export const PROVIDER_KEY = 'sk-canary-of-a-provider-key';

/** Makes a connection to an endpoint with OpenAI's protocol. `behaviour` names a fault of the double. */
export async function connectTo(
  tenant: Tenant,
  { url }: { url: string },
  behaviour = '',
  more: object = {},
): Promise<string> {
  const BASE_URL = `${url}${behaviour && `/${behaviour}`}/v1`;
  const fields = { BASE_URL, API_KEY: PROVIDER_KEY, MODEL_NAME: 'llama', ...more };
  return (await makeConnection(tenant, { provider: 'API', fields })).connectionId;
}

export interface LedgerRow {
  callId: string;
  eventId: string;
  environment: string;
  traceId: string;
  model: string;
  provider: string;
  status: string;
  statusCode: number;
  inputTokens: number;
  cachedTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  latencyMs: number;
  timeToFirstTokenMs: number | null;
  streamingUsed: boolean;
  cost: number;
  channel?: string;
  payload?: { request: { messages: object[] }; response: { text: string } | null };
}

/** Returns the calls in the ledger of the project, oldest first. */
export async function ledgerOf({ api, projectId }: Tenant): Promise<LedgerRow[]> {
  const query = { fromDate: '2020-01-01T00:00:00Z', toDate: '2100-01-01T00:00:00Z', dataMode: 'full' };
  const path = `/api/public/analytics/projects/${projectId}/llm-ledger`;
  const { body } = await api.get<{ generations: LedgerRow[] }>(path, { query });
  return body.generations;
}
