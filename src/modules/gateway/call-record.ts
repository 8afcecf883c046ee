import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import type { CallableModel, ModelRequest, ModelUsage } from './gateway.port.js';
import { payloadOf, type Said } from './call-payload.js';

/** For whom a model is called, and what the ledger is to say of it. */
export interface CallOrigin {
  readonly projectId: Id<'project'>;
  readonly agentName?: string;
  readonly environment?: string;
  readonly sessionId?: string;
  readonly traceId?: Id<'trace'>;
  readonly eventId?: string;
  readonly source?: string;
  readonly sourceSubtype?: string;
  readonly sourceId?: string;
  readonly channel?: string;
  readonly channelType?: string;
}

/** One call while it runs. At its end it is one row of the ledger, whatever it came to. */
export class CallRecord {
  readonly callId = newId('observation');
  readonly startedAt = clock.now();
  private readonly begun = performance.now();
  private firstTokenMs: number | null = null;

  constructor(
    readonly origin: CallOrigin,
    readonly model: CallableModel,
    readonly request: ModelRequest,
    private readonly streamingUsed: boolean,
  ) {}

  noteFirstToken(): void {
    this.firstTokenMs ??= this.elapsedMs();
  }

  succeeded(usage: ModelUsage, said: Said): object {
    return { ...this.row(said), ...countsOf(usage), status: 'success', statusCode: 200 };
  }

  failed(statusCode: number, said: Said | null): object {
    return { ...this.row(said), status: 'failed', statusCode };
  }

  private row(said: Said | null): object {
    const { projectId: _, ...origin } = this.origin;
    return {
      traceId: newId('trace'),
      ...origin,
      callId: this.callId,
      timestamp: this.startedAt.toISOString(),
      model: this.model.name,
      provider: this.model.provider,
      latencyMs: this.elapsedMs(),
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
