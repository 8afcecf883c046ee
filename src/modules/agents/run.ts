import type { Id } from '../../kernel/ids.js';
import { raw } from '../../platform/database/sql.js';
import type { Turn } from './agents.port.js';

export type RunState = 'queued' | 'running' | 'suspended' | 'completed' | 'failed';

/** One turn of a session: its record. What is said in it is the session's memory. */
export interface Run extends Turn {
  /** Its turn: runs of a session are numbered in the order in which they were accepted. */
  number: number;
  userId: Id<'user'>;
  versionId: Id<'agentVersion'>;
  state: RunState;
  jobId: string;
  channel: string;
  isNewSession: boolean;
  isStreamed: boolean;
  /** What it was suspended for has ended meanwhile. */
  isResumed: boolean;
  traceId: Id<'trace'>;
  /** At the top of its trace. */
  observationId: Id<'observation'>;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  error: { code: string; message: string } | null;
  usedFallback: boolean;
  llmCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  activeMs: number;
}

/** All of it, as the database is asked for it. */
export const RUN = raw(`
  id as "runId", number::float8, project_id as "projectId", app_id as "appId", session_id as "sessionId", environment,
  user_id as "userId", version_id as "versionId", state, job_id as "jobId",
  case when sink_name is not null then json_build_object('name', sink_name, 'ref', coalesce(sink_ref, '')) end as sink,
  channel, is_new_session as "isNewSession", is_streamed as "isStreamed", is_resumed as "isResumed",
  trace_id as "traceId", observation_id as "observationId", created_at as "createdAt", started_at as "startedAt",
  finished_at as "finishedAt",
  case when error_code is not null
    then json_build_object('code', error_code, 'message', coalesce(error_message, '')) end as error,
  used_fallback as "usedFallback", llm_calls as "llmCalls", tool_calls as "toolCalls",
  input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cost::float8,
  active_ms::float8 as "activeMs"`);

export function isOver({ state }: Run): boolean {
  return state === 'completed' || state === 'failed';
}
