import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { CallableModel, ModelRequest, ModelUsage } from './gateway.port.js';
import { payloadOf, type Said } from './call-payload.js';

/** For whom a model is called, and what the ledger is to say of it. */
export interface CallOrigin {
  readonly projectId: Id<'project'>;
  readonly appId?: Id<'app'>;
  readonly agentName?: string;
  readonly environment?: string;
  readonly sessionId?: string;
  readonly traceId?: Id<'trace'>;
  /** What the call was made within. */
  readonly parentObservationId?: Id<'observation'>;
  readonly eventId?: string;
  readonly source?: string;
  readonly sourceSubtype?: string;
  readonly sourceId?: string;
  readonly channel?: string;
  readonly channelType?: string;
}

export type CallCounts = ReturnType<typeof countsOf>;

const NO_COUNTS: CallCounts = { inputTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };

/** What a call came to. */
export interface MadeCall {
  readonly status: 'success' | 'failed';
  readonly counts: CallCounts;
  readonly latencyMs: number;
  readonly said: Said | null;
  /** As the ledger takes it. */
  readonly row: object;
}

/** One call while it runs. At its end it is one row of the ledger and one observation, whatever it came to. */
export class CallRecord {
  readonly callId = newId('observation');
  readonly traceId: Id<'trace'>;
  readonly startedAt = clock.now();
  private readonly begun = performance.now();
  private firstTokenMs: number | null = null;

  constructor(
    readonly origin: CallOrigin,
    readonly model: CallableModel,
    readonly request: ModelRequest,
    private readonly streamingUsed: boolean,
  ) {
    this.traceId = origin.traceId ?? newId('trace');
  }

  noteFirstToken(): void {
    this.firstTokenMs ??= this.elapsedMs();
  }

  succeeded(usage: ModelUsage, said: Said): MadeCall {
    return this.made('success', 200, countsOf(usage), said);
  }

  failed(statusCode: number, said: Said | null): MadeCall {
    return this.made('failed', statusCode, NO_COUNTS, said);
  }

  private made(status: MadeCall['status'], statusCode: number, counts: CallCounts, said: Said | null): MadeCall {
    const latencyMs = this.elapsedMs();
    const row = { ...this.row(said), ...counts, latencyMs, status, statusCode };
    return { status, counts, latencyMs, said, row };
  }

  private row(said: Said | null): object {
    const { projectId: _, appId: __, parentObservationId: ___, ...origin } = this.origin;
    return {
      ...origin,
      traceId: this.traceId,
      callId: this.callId,
      timestamp: this.startedAt.toISOString(),
      model: this.model.name,
      provider: this.model.provider,
      timeToFirstTokenMs: this.firstTokenMs,
      streamingUsed: this.streamingUsed,
      payload: payloadOf(this.request, said),
    };
  }

  private elapsedMs(): number {
    return Math.round(performance.now() - this.begun);
  }
}

/** What the ledger counts. A provider that counts differently is made to add up. */
export function countsOf({ inputTokens, outputTokens }: ModelUsage) {
  const input = whole(inputTokens.total);
  const reasoning = Math.min(whole(outputTokens.reasoning), whole(outputTokens.total));
  return {
    inputTokens: input,
    cachedTokens: Math.min(whole(inputTokens.cacheRead), input),
    completionTokens: whole(outputTokens.total) - reasoning,
    reasoningTokens: reasoning,
  };
}

const MOST_TOKENS = 2_147_483_647;

function whole(count: number | undefined): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.round(count!)), MOST_TOKENS) : 0;
}
