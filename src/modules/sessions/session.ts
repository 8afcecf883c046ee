import type { Id } from '../../kernel/ids.js';
import { raw } from '../../platform/database/sql.js';
import type { EnvironmentName } from '../tenancy/tenancy.port.js';

export type SessionStatus = 'started' | 'idle' | 'busy' | 'error' | 'terminated';
export type EndReason = 'terminated' | 'expired' | 'erased';

/** A conversation of a user with the agent of an app's environment: its record, without what was said. */
export interface Session {
  id: Id<'session'>;
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: EnvironmentName;
  envId: Id<'environment'>;
  reference: string | null;
  userId: Id<'user'>;
  userReference: string;
  source: string;
  status: SessionStatus;
  appVersionId: Id<'agentVersion'> | null;
  /** Of the latest run; of one without any, the one that welcomed. */
  runId: Id<'run'>;
  createdAt: Date;
  lastActivityAt: Date;
  endedAt: Date | null;
  endReason: EndReason | null;
  /** When its memory was deleted, and its summary kept. */
  closedAt: Date | null;
  farewell: string | null;
  summary: string | null;
  turns: number;
  llmCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  latencyMs: number;
}

/** What a client names a session by, in the order in which it is tried. */
export interface Identity {
  sessionId?: string | undefined;
  reference?: string | undefined;
  userReference?: string | undefined;
}

/** All of it, as the database is asked for it. */
export const SESSION = raw(`
  id, project_id as "projectId", app_id as "appId", environment, env_id as "envId", reference, user_id as "userId",
  user_reference as "userReference", source, status, app_version_id as "appVersionId", run_id as "runId",
  created_at as "createdAt", last_activity_at as "lastActivityAt", ended_at as "endedAt", end_reason as "endReason",
  closed_at as "closedAt", farewell, summary, turns, llm_calls as "llmCalls", input_tokens::float8 as "inputTokens",
  output_tokens::float8 as "outputTokens", cost::float8, latency_ms::float8 as "latencyMs"`);
