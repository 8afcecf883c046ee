import { Injectable } from '@nestjs/common';
import type { KeyActor } from '../../kernel/actor.js';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { validationError } from '../../platform/route/validation.js';
import { LedgerWriting } from '../ledger/ledger-writing.service.js';
import { Prices } from '../ledger/prices.service.js';
import type { Generation } from './observed.js';
import type { ExportTraces, PartialSuccess } from './otlp/export-traces.schema.js';
import { type ReadSpan, readSpan } from './otlp/read-span.js';
import { sortOut } from './otlp/sort-out.js';
import { spansOf } from './otlp/spans.js';
import { TracesService } from './traces.service.js';

const MAX_SPANS = 10_000;

/** What instrumented programs tell: every span becomes an observation, and every call of a model a ledger row too. */
@Injectable()
export class OtlpService {
  constructor(
    private readonly database: Database,
    private readonly traces: TracesService,
    private readonly ledger: LedgerWriting,
    private readonly prices: Prices,
  ) {}

  /** A span that was taken before changes nothing. Answers with what was wrong with the spans that were not taken. */
  async take(actor: KeyActor, request: ExportTraces): Promise<PartialSuccess | undefined> {
    const sent = spansOf(request);
    if (sent.length > MAX_SPANS) throw tooMany(sent.length);
    const { good, partialSuccess } = sortOut(sent);
    const spans = good.map((span) => readSpan(actor.projectId, span));
    if (spans.length > 0) await this.write(actor, spans);
    return partialSuccess;
  }

  private async write(actor: KeyActor, spans: readonly ReadSpan[]): Promise<void> {
    const { projectId, appId } = actor;
    const generationOf = await this.generations(projectId);
    const observed = spans.map((span) => ({ ...span.observed, generation: generationOf(span) }));
    await this.database.transaction(actor, async (em) => {
      const sessions = await this.traces.record(em, projectId, appId, observed);
      const calls = spans.flatMap((span) => toCalls(span, sessions));
      if (calls.length > 0) await this.ledger.write(actor, projectId, calls);
    });
  }

  private async generations(projectId: Id<'project'>): Promise<(span: ReadSpan) => Generation | null> {
    const reckon = await this.prices.reckoning(projectId);
    return ({ call }) => {
      if (!call) return null;
      const { model, provider, inputTokens, completionTokens, reasoningTokens } = call;
      const cost = call.cost ?? reckon(call).amount;
      return { model, provider, inputTokens, outputTokens: completionTokens + reasoningTokens, cost };
    };
  }
}

/** As the ledger takes them: a row for a call of a model, none for any other span. */
function toCalls({ call, observed }: ReadSpan, sessions: ReadonlyMap<string, string>): object[] {
  if (!call) return [];
  const { traceId, startedAt, sessionId } = observed;
  return [{ ...call, traceId, timestamp: startedAt, sessionId: sessionId || (sessions.get(traceId) ?? '') }];
}

function tooMany(count: number) {
  const message = `has ${count} spans, and a request may have ${MAX_SPANS}; send fewer at a time`;
  return validationError([{ path: ['resourceSpans'], message }]);
}
