import { administratorOf, type Tenant, uniqueName } from '../support/actors.js';
import type { Answer } from '../support/client.js';
import type { Target } from '../support/service.js';

const ADMIN = '/api/admin/v1';

export interface AgentBody {
  agentId: string;
  versionId: string;
  version: number;
  name: string;
  instructions: string;
  connectionId: string | null;
  toolIds: string[];
}

export type Data<Body> = Answer<{ data: Body }>;

export function createAgent(target: Target, appId: string, given: object = {}): Promise<Data<AgentBody>> {
  const body = { name: uniqueName('Agent'), instructions: 'You are of help.', ...given };
  return administratorOf(target).post(`${ADMIN}/apps/${appId}/agents`, body);
}

/** Makes an agent, and throws if it is refused. */
export async function makeAgent(target: Target, appId: string, given: object = {}): Promise<AgentBody> {
  const { status, text, body } = await createAgent(target, appId, given);
  if (status !== 201) throw new Error(`No agent was made: ${text}`);
  return body.data;
}

export function activate(
  target: Target,
  appId: string,
  agentId: string,
  more: object = {},
  envName = 'production',
): Promise<Data<{ envId: string; agentId: string | null; appVersionId: string | null }>> {
  const body = { agentId, active: true, ...more };
  return administratorOf(target).put(`${ADMIN}/apps/${appId}/environments/${envName}`, body);
}

/** Makes an agent and activates it in an environment, by default in production. */
export async function makeActiveAgent(
  target: Target,
  { appId }: { appId: string },
  given: object = {},
  envName?: string,
): Promise<AgentBody> {
  const agent = await makeAgent(target, appId, given);
  const { outcome } = await activate(target, appId, agent.agentId, {}, envName);
  if (outcome !== '200') throw new Error(`The agent was not activated: ${outcome}`);
  return agent;
}

export interface RunBody {
  runId: string;
  status: string;
  session: { sessionId: string; sessionReference: string | null; status: string };
  output: { type: string; content: string }[];
  events: { name: string }[];
  usage: {
    calls: number;
    toolCalls: number;
    inputTokens: number;
    outputTokens: number;
    cost: number;
    latencyMs: number;
  };
  traceId: string;
  error?: { code: string; message: string };
}

export const byReference = (value: string) => [{ type: 'sessionReference', value }];

export function runsPath({ appId }: { appId: string }, envName = 'production'): string {
  return `/api/v2/apps/${appId}/environments/${envName}/runs`;
}

export function say(tenant: Tenant, reference: string, input: string, more: object = {}): Promise<Answer<RunBody>> {
  return tenant.api.post<RunBody>(runsPath(tenant), { sessionIdentity: byReference(reference), input, ...more });
}
