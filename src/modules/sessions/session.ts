import type { Id } from '../../kernel/ids.js';
import type { EnvironmentName } from '../tenancy/app.entity.js';

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
