import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SYSTEM } from '../../kernel/actor.js';
import { Database } from '../../platform/database/database.js';
import { LedgerWriting } from '../ledger/ledger-writing.service.js';
import { Prices } from '../ledger/prices.service.js';
import { TracesService } from '../traces/traces.service.js';
import { payloadOf, type Said } from './call-payload.js';
import type { CallRecord, MadeCall } from './call-record.js';

/** What a call came to, for whoever keeps it beside the ledger. */
export interface WrittenCall extends MadeCall {
  readonly cost: number;
}

/** In the transaction that writes the call down: what it does and the row are both kept, or neither is. */
export type Alongside = (em: EntityManager, call: WrittenCall) => Promise<void>;

/** Longer texts are in the ledger's payload; of an observation people read the beginning. */
const MAX_TEXT = 100_000;

/** Writes calls down: a row of the ledger, an observation of their trace. */
@Injectable()
export class CallBooks {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerWriting,
    private readonly prices: Prices,
    private readonly traces: TracesService,
  ) {}

  /** By the service itself: a call that was made is written down, though its key was revoked or its client left. */
  write(call: CallRecord, made: MadeCall, alongside?: Alongside): Promise<void> {
    const { projectId, appId = null } = call.origin;
    return this.database.apart(async () => {
      const reckon = await this.prices.reckoning(projectId);
      const { name: model, provider } = call.model;
      const cost = reckon({ model, provider, ...made.counts }).amount;
      await this.database.transaction(SYSTEM, async (em) => {
        await this.ledger.write(SYSTEM, projectId, [made.row]);
        await this.traces.record(em, projectId, appId, [toObserved(call, made, cost)]);
        await alongside?.(em, { ...made, cost });
      });
    });
  }
}

function toObserved(call: CallRecord, { status, counts, latencyMs, said }: MadeCall, cost: number) {
  const { origin, model, request, startedAt } = call;
  const { inputTokens, completionTokens, reasoningTokens } = counts;
  return {
    id: call.callId,
    traceId: call.traceId,
    parentId: origin.parentObservationId ?? null,
    sessionId: origin.sessionId ?? '',
    name: origin.sourceSubtype ?? 'response_generation',
    startedAt: startedAt.toISOString(),
    endedAt: new Date(startedAt.getTime() + latencyMs).toISOString(),
    status,
    statusMessage: '',
    input: JSON.stringify(payloadOf(request, null).request.messages).slice(0, MAX_TEXT),
    output: said && textOf(said).slice(0, MAX_TEXT),
    attributes: '{}',
    generation: {
      model: model.name || 'unknown',
      provider: model.provider || 'unknown',
      inputTokens,
      outputTokens: completionTokens + reasoningTokens,
      cost,
    },
  };
}

function textOf({ text, toolCalls }: Said): string {
  return toolCalls.length > 0 ? JSON.stringify({ text, toolCalls }) : text;
}
