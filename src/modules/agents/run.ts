import type { Id } from '../../kernel/ids.js';
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

export interface RunRow {
  id: Id<'run'>;
  number: string;
  project_id: Id<'project'>;
  app_id: Id<'app'>;
  session_id: Id<'session'>;
  environment: string;
  user_id: Id<'user'>;
  version_id: Id<'agentVersion'>;
  state: RunState;
  job_id: string;
  sink_name: string | null;
  sink_ref: string | null;
  channel: string;
  is_new_session: boolean;
  is_streamed: boolean;
  is_resumed: boolean;
  trace_id: Id<'trace'>;
  observation_id: Id<'observation'>;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  used_fallback: boolean;
  llm_calls: number;
  tool_calls: number;
  input_tokens: string;
  output_tokens: string;
  cost: string;
  active_ms: string;
}

export function toRun(row: RunRow): Run {
  return {
    runId: row.id,
    number: Number(row.number),
    projectId: row.project_id,
    appId: row.app_id,
    sessionId: row.session_id,
    environment: row.environment,
    userId: row.user_id,
    versionId: row.version_id,
    state: row.state,
    jobId: row.job_id,
    sink: row.sink_name === null ? null : { name: row.sink_name, ref: row.sink_ref ?? '' },
    channel: row.channel,
    isNewSession: row.is_new_session,
    isStreamed: row.is_streamed,
    isResumed: row.is_resumed,
    traceId: row.trace_id,
    observationId: row.observation_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    usedFallback: row.used_fallback,
    llmCalls: row.llm_calls,
    toolCalls: row.tool_calls,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cost: Number(row.cost),
    activeMs: Number(row.active_ms),
  };
}

export function isOver({ state }: Run): boolean {
  return state === 'completed' || state === 'failed';
}
