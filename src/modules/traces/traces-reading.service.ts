import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { DAY_MS } from '../../kernel/spans.js';
import { Database } from '../../platform/database/database.js';
import { Reads } from '../../platform/database/reads.js';
import { LedgerPolicies } from '../ledger/write/ledger-policies.service.js';
import { ObservationRepository } from './observation.repository.js';
import { readTraceCursor, writeTraceCursor } from './trace-cursor.js';
import { TraceRepository } from './trace.repository.js';
import type { FoundTrace, SearchedTrace } from './trace-search.statements.js';
import { tracesErrors } from './traces.errors.js';
import type { TraceRead, TracesQuery } from './traces.schema.js';

/** Limits of one answer. */
const MAX_OBSERVATIONS = 1_000;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Lists and reads traces, both those of the service itself and those that came over OTLP. */
@Injectable()
export class TracesReading {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
    private readonly policies: LedgerPolicies,
    private readonly traces: TraceRepository,
    private readonly observations: ObservationRepository,
  ) {}

  async list(
    projectId: Id<'project'>,
    appId: Id<'app'>,
    query: TracesQuery,
  ): Promise<{ traces: FoundTrace[]; nextCursor: string | null }> {
    const { fromDate, toDate, sessionId = null, name = null, status = null, spanId = null, cursor, limit } = query;
    const to = toDate ?? clock.now();
    const from = fromDate ?? new Date(to.getTime() - DAY_MS);
    const after = cursor === undefined ? null : readTraceCursor(cursor);
    const wanted = { projectId, appId, from, to, sessionId, name, status, spanId, after, limit };
    const looked = await this.reads.one(this.traces.search(wanted));
    const found = looked.filter(({ isMatch }) => isMatch);
    const last = found.length > limit ? found[limit - 1] : looked.find(({ isLast }) => isLast);
    return { traces: found.slice(0, limit), nextCursor: last ? cursorAt(last) : null };
  }

  async read(projectId: Id<'project'>, appId: Id<'app'>, traceId: Id<'trace'>): Promise<TraceRead> {
    const policy = await this.database.ask(this.policies.payloads(projectId));
    const calls = policy === 'omit' ? 'without texts' : 'with texts';
    return this.reads.together(async (ask) => {
      const trace = await ask(this.traces.one(projectId, appId, traceId));
      if (!trace) throw tracesErrors.traceNotFound();
      const observations = await ask(
        this.observations.ofTrace(projectId, traceId, MAX_OBSERVATIONS, MAX_TEXT_BYTES, calls),
      );
      const isComplete = observations.length === trace.observationCount && observations.every(({ isWhole }) => isWhole);
      return { trace, observations, isComplete };
    });
  }
}

function cursorAt({ microseconds, id }: SearchedTrace): string {
  return writeTraceCursor({ startedAt: microseconds, id });
}
