import type { Transaction } from '../../platform/database/transaction.js';
import type { Id } from '../../kernel/ids.js';
import { Mark } from '../../platform/extension/mark.js';
import type { EnvironmentName } from '../tenancy/app.entity.js';

/** How far a turn is that has not ended. */
export type TurnStatus = 'processing' | 'suspended' | 'resumed';

/** An agent's answer to one message, on its way. */
export interface Turn {
  readonly runId: Id<'agentRun'>;
  readonly projectId: Id<'project'>;
  readonly appId: Id<'app'>;
  readonly sessionId: Id<'session'>;
  readonly environment: EnvironmentName;
  /** Who is told of it, and what they call it. */
  readonly sink: { readonly name: string; readonly ref: string } | null;
}

export interface TurnMedia {
  readonly kind: 'image' | 'audio' | 'video' | 'file';
  readonly url: string;
  readonly mimeType: string;
}

/** Where an answer comes from. */
export interface Provenance {
  readonly kind: 'llm' | 'tool' | 'mixed' | 'fallback' | 'static';
  readonly usedLlmInternally: boolean;
}

export interface FinishedTurn extends Turn {
  /** Of a failed one the response is the fallback text. */
  readonly status: 'ok' | 'failed';
  readonly response: string;
  readonly usedFallback: boolean;
  readonly isNewSession: boolean;
  readonly traceId: Id<'trace'>;
  readonly media: readonly TurnMedia[];
  readonly provenance: Provenance;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Whoever passes answers on to somebody. It hears of them in the transactions that make them so. */
export abstract class TurnSink {
  abstract onStatus(tx: Transaction, turn: Turn, status: TurnStatus): Promise<void>;

  abstract onFinished(tx: Transaction, turn: FinishedTurn): Promise<void>;
}

export const turnSinks = new Mark<TurnSink, string>('take the turns for');

/** Marks the one provider that is the sink of this name. */
export function TakesTurns(name: string): ClassDecorator {
  return turnSinks.marks(name);
}
