import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { Reads } from '../../platform/database/reads.js';
import type { Statement } from '../../platform/database/statement.js';
import { LedgerPolicies } from '../ledger/write/ledger-policies.service.js';
import { ObservationRepository } from './observation.repository.js';
import type { Observed } from './observed.js';
import { type Forgotten, TraceRepository } from './trace.repository.js';
export type { ObservationNode, TraceTree } from './trace-tree.js';
import { toTraceTree, type TraceTree } from './trace-tree.js';

/** No reader follows more of one trace; of input and output a page is to stay readable too. */
const MAX_OBSERVATIONS = 1_000;

/** What ran for a session, as a tree of observations for each of its traces. */
@Injectable()
export class TracesService {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
    private readonly policies: LedgerPolicies,
    private readonly traces: TraceRepository,
    private readonly observations: ObservationRepository,
  ) {}

  /** Writes what was observed. Answers with the session of each trace, by its id. */
  recording(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Statement<ReadonlyMap<string, string>> {
    return this.traces.record(projectId, appId, observed);
  }

  /** The same where nobody asks for the sessions: it goes with the next statement. */
  async write(
    tx: Transaction,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Promise<void> {
    tx.defer(this.recording(projectId, appId, observed));
  }

  /** The same for who sends it as one statement with others. */
  writes(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): readonly Statement<unknown>[] {
    return this.traces.writes(projectId, appId, observed);
  }

  /** Pages count from 1. */
  async ofSession(
    projectId: Id<'project'>,
    sessionId: string,
    { page, limit }: { page: number; limit: number },
  ): Promise<{ traces: TraceTree[]; total: number }> {
    const policy = await this.database.ask(this.policies.payloads(projectId));
    const calls = policy === 'omit' ? 'without texts' : 'with texts';
    return this.reads.together(async (ask) => {
      const total = await ask(this.traces.countOfSession(projectId, sessionId));
      const traces = await ask(this.traces.ofSession(projectId, sessionId, (page - 1) * limit, limit));
      const traceIds = traces.map(({ id }) => id);
      const found = await ask(this.observations.ofTraces(projectId, traceIds, MAX_OBSERVATIONS, calls));
      const observations = Map.groupBy(found, ({ traceId }) => traceId);
      return { traces: traces.map((trace) => toTraceTree(trace, observations.get(trace.id) ?? [])), total };
    });
  }

  /** All that ran for a session: how many traces and observations there were. */
  forget(tx: Transaction, projectId: Id<'project'>, sessionId: string): Promise<Forgotten> {
    return tx.ask(this.traces.deleteOfSession(projectId, sessionId));
  }
}
