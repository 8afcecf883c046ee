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

export function isOver({ state }: Run): boolean {
  return state === 'completed' || state === 'failed';
}
