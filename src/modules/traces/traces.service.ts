import type { Transaction } from '../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import { sendInParts } from '../../platform/database/in-parts.js';
import { Reads } from '../../platform/database/reads.js';
import type { Statement } from '../../platform/database/statement.js';
import { LedgerPolicies } from '../ledger/write/ledger-policies.service.js';
import { type FailedCalls, ObservationRepository } from './observation.repository.js';
import { type Observed, partsOfObserved } from './observed.js';
import { type DeletedTraces, TraceRepository } from './trace.repository.js';
export { CALLER_LEFT, type FailedCalls } from './observation.repository.js';
export type { ObservationNode, TraceTree } from './trace-tree.js';
import { toTraceTree, type TraceTree } from './trace-tree.js';

/** The most observations that a page shows of each trace, so that the answer stays readable. */
const MAX_OBSERVATIONS = 1_000;

/** Reads, records and deletes the traces of sessions, for other modules. */
@Injectable()
export class TracesService {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
    private readonly policies: LedgerPolicies,
    private readonly traces: TraceRepository,
    private readonly observations: ObservationRepository,
  ) {}

  /** Writes observations, and returns the session of each trace by the id of the trace. */
  async recordInParts(
    tx: Transaction,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Promise<ReadonlyMap<string, string>> {
    const record = (part: readonly Observed[]) => tx.ask(this.traces.record(projectId, appId, part));
    const sessions = await sendInParts(partsOfObserved(observed), record);
    return new Map(sessions.flatMap((ofPart) => [...ofPart]));
  }

  /**
   * Writes observations together with the transaction's next statement, for a caller that does not need the sessions.
   */
  async write(
    tx: Transaction,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Promise<void> {
    tx.defer(this.traces.record(projectId, appId, observed));
  }

  /** Returns the writes, for a caller that combines them with others in one statement. */
  writes(
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): readonly Statement<unknown>[] {
    return this.traces.writes(projectId, appId, observed);
  }

  /** Counts the failed calls that the service itself made, by model. */
  failedCalls(projectId: Id<'project'>, since: Date): Promise<FailedCalls[]> {
    return this.reads.one(this.observations.failedCalls(projectId, since));
  }

  /** Returns a page of the session's traces as trees. The first page is 1. */
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

  /** Deletes all traces of a session, and returns how many traces and observations there were. */
  deleteOfSession(tx: Transaction, projectId: Id<'project'>, sessionId: string): Promise<DeletedTraces> {
    return tx.ask(this.traces.deleteOfSession(projectId, sessionId));
  }
}
