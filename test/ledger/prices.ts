import { administratorOf, type Tenant } from '../support/actors.js';
import type { Target } from '../support/service.js';
import { EVER } from './calls.js';

export const pricesPath = (projectId: string) => `/api/admin/v1/projects/${projectId}/model-prices`;

export interface PriceBody {
  modelPriceId: string;
  model: string;
  provider: string;
  input: number;
  cachedInput: number | null;
  output: number;
  reasoning: number | null;
}

/** Sets a price for the project, and throws an error with the answer if that fails. */
export async function setPrice(target: Target, projectId: string, changes: object): Promise<PriceBody> {
  const given = { model: 'a model', input: 1, output: 2, ...changes };
  const { status, body, text } = await administratorOf(target).post<{ data: PriceBody }>(pricesPath(projectId), given);
  if (status !== 201) throw new Error(`Setting a price answered ${status}: ${text}`);
  return body.data;
}

export const repricingsPath = (projectId: string) =>
  `/api/public/analytics/projects/${projectId}/llm-ledger-repricings`;

export interface RepricingBody {
  repricingId: string;
  state: string;
  total: number;
  lookedAt: number;
  changed: number;
}

export async function startRepricing({ api, projectId }: Tenant, window: object = EVER): Promise<RepricingBody> {
  const { status, body, text } = await api.post<RepricingBody>(repricingsPath(projectId), window);
  if (status !== 200) throw new Error(`Starting a repricing answered ${status}: ${text}`);
  return body;
}
