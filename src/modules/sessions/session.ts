import type { Id } from '../../kernel/ids.js';

export type SessionStatus = 'started' | 'idle' | 'busy' | 'error' | 'terminated';
export type EndReason = 'terminated' | 'expired' | 'erased';

/** A conversation of a user with the agent of an app's environment: its record, without what was said. */
export interface Session {
  id: Id<'session'>;
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: string;
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

/** Where a session is. */
export interface Place {
  projectId: Id<'project'>;
  appId: Id<'app'>;
  environment: string;
  envId: Id<'environment'>;
}

/** What a client names a session by, in the order in which it is tried. */
export interface Identity {
  sessionId?: string | undefined;
  reference?: string | undefined;
  userReference?: string | undefined;
}

/** As the database has it: large numbers come as text. */
export interface SessionRow {
  id: Id<'session'>;
  project_id: Id<'project'>;
  app_id: Id<'app'>;
  environment: string;
  env_id: Id<'environment'>;
  reference: string | null;
  user_id: Id<'user'>;
  user_reference: string;
  source: string;
  status: SessionStatus;
  app_version_id: Id<'agentVersion'> | null;
  run_id: Id<'run'>;
  created_at: Date;
  last_activity_at: Date;
  ended_at: Date | null;
  end_reason: EndReason | null;
  closed_at: Date | null;
  farewell: string | null;
  summary: string | null;
  turns: number;
  llm_calls: number;
  input_tokens: string;
  output_tokens: string;
  cost: string;
  latency_ms: string;
}

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    projectId: row.project_id,
    appId: row.app_id,
    environment: row.environment,
    envId: row.env_id,
    reference: row.reference,
    userId: row.user_id,
    userReference: row.user_reference,
    source: row.source,
    status: row.status,
    appVersionId: row.app_version_id,
    runId: row.run_id,
    createdAt: row.created_at,
    lastActivityAt: row.last_activity_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    closedAt: row.closed_at,
    farewell: row.farewell,
    summary: row.summary,
    turns: row.turns,
    llmCalls: row.llm_calls,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cost: Number(row.cost),
    latencyMs: Number(row.latency_ms),
  };
}
