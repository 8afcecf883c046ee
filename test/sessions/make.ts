import type { Tenant } from '../support/actors.js';
import type { Answer } from '../support/client.js';

export interface SessionBody {
  session: {
    sessionId: string;
    sessionReference: string | null;
    userReference: string;
    userId: string;
    status: string;
    createdAt: string;
    source: string;
    runId: string;
    appId: string;
    attachments: object[];
  };
  sessionInfo: SessionBody['session'];
  events: { name: string; content: object; params: object }[];
  output: { type: string; content: string }[];
  allowedMimeTypes: string[];
  fileUploadConfig: object;
}

export interface EndedBody {
  status: string;
  sessionId: string;
  events: { name: string; params: { reason: string; conversationSummary: string } }[];
}

export interface ListBody {
  sessions: { session_id: string; end_time: string | null; source: string }[];
  total_count: number;
}

export interface TraceBody {
  trace_id: string;
  input: string | null;
  output: string | null;
  latency: number;
  app_version_id: string | null;
  observations: {
    observation_id: string;
    type: string;
    name: string;
    status: string;
    cost: number | null;
    input: string | { role: string; content: unknown }[] | null;
    parent_observation_id: string | null;
    token_usage: { input: number; output: number; total: number };
  }[];
}

export interface DetailsBody {
  sessions: {
    session_id: string;
    latency: number;
    status: string;
    totals: { turns: number; calls: number; input_tokens: number; output_tokens: number; cost: number };
    traces: TraceBody[];
  }[];
  pagination: { page: number; limit: number; total: number };
}

type Entry = { type: string; value: string };

export const ref = (value: string): Entry => ({ type: 'sessionReference', value });
export const user = (value: string): Entry => ({ type: 'userReference', value });
export const ident = (value: string): Entry => ({ type: 'sessionIdentity', value });

export function sessionsPath({ appId }: { appId: string }, envName = 'production'): string {
  return `/api/v2/apps/${appId}/environments/${envName}/sessions`;
}

export function create(
  tenant: Tenant,
  sessionIdentity: unknown,
  more: object = {},
  envName?: string,
): Promise<Answer<SessionBody>> {
  return tenant.api.post<SessionBody>(sessionsPath(tenant, envName), { sessionIdentity, ...more });
}

/** Creates a session, and throws if the request is refused. */
export async function makeSession(
  tenant: Tenant,
  sessionIdentity: Entry[] = [user('somebody')],
  more: object = {},
  envName?: string,
): Promise<SessionBody['session']> {
  const { outcome, text, body } = await create(tenant, sessionIdentity, more, envName);
  if (outcome !== '201') throw new Error(`No session was made: ${text}`);
  // If users of the app have to sign in, the session is in another member of the answer.
  return body.session ?? body.sessionInfo;
}

export function terminate(tenant: Tenant, sessionIdentity: unknown, envName?: string): Promise<Answer<EndedBody>> {
  return tenant.api.post<EndedBody>(`${sessionsPath(tenant, envName)}/terminate`, { sessionIdentity });
}

export function list(
  { api, appId }: Tenant,
  filter: object = {},
  query: Record<string, string> = {},
): Promise<Answer<ListBody>> {
  return api.post<ListBody>(`/api/public/apps/${appId}/sessions/list`, filter, { query });
}

export function details(
  { api, appId }: Tenant,
  sessionId: string,
  query: Record<string, string | string[]> = {},
): Promise<Answer<DetailsBody>> {
  return api.get<DetailsBody>(`/api/public/apps/${appId}/sessions`, { query: { session_id: sessionId, ...query } });
}
