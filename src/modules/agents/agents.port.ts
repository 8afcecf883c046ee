import type { Transaction } from '../../platform/database/transaction.js';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';
import type { EnvironmentName } from '../tenancy/app.entity.js';

/** The progress of a turn that has not ended. */
export type TurnStatus = 'processing' | 'suspended' | 'resumed';

/** One message to an agent and its answer, which may not exist yet. */
export interface Turn {
  readonly runId: Id<'agentRun'>;
  readonly projectId: Id<'project'>;
  readonly appId: Id<'app'>;
  readonly sessionId: Id<'session'>;
  readonly environment: EnvironmentName;
  /** The sink that is notified of the turn, and the sink's own name for the turn. */
  readonly sink: { readonly name: string; readonly ref: string } | null;
}

export interface TurnMedia {
  readonly kind: 'image' | 'audio' | 'video' | 'file';
  readonly url: string;
  readonly mimeType: string;
}

/** How an answer was made. */
export interface Provenance {
  readonly kind: 'llm' | 'tool' | 'mixed' | 'fallback' | 'static';
  readonly usedLlmInternally: boolean;
}

export interface FinishedTurn extends Turn {
  /** If the turn failed, the response is the fallback text. */
  readonly status: 'ok' | 'failed';
  readonly response: string;
  readonly usedFallback: boolean;
  readonly isNewSession: boolean;
  readonly traceId: Id<'trace'>;
  readonly media: readonly TurnMedia[];
  readonly provenance: Provenance;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Passes answers on to their receivers. It is notified within the transaction that changes or ends the turn. */
export abstract class TurnSink {
  abstract onStatus(tx: Transaction, turn: Turn, status: TurnStatus): Promise<void>;

  abstract onFinished(tx: Transaction, turn: FinishedTurn): Promise<void>;
}

export const turnSinks = new Mark<TurnSink, string>([TurnSink], 'take the turns for');

/** Marks the one provider that is the sink of this name. */
export function TakesTurns(name: string): ClassDecorator {
  return turnSinks.marks(name);
}
