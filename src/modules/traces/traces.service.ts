import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Reads } from '../../platform/database/reads.js';
import { Statements } from '../../platform/database/statements.js';
import { LedgerPolicies } from '../ledger/ledger-policies.service.js';
import type { Observed } from './observed.js';
import {
  countTraces,
  type ObservationRow,
  observationsOf,
  type TraceRow,
  tracesOfSession,
} from './store.of-session.js';
import { deleteOfSession } from './store.delete.js';
import { recordObserved } from './store.record.js';
export type { Observation, Trace } from './trace.js';
import { toTrace, type Trace } from './trace.js';

/** No reader follows more of one trace; of input and output a page is to stay readable too. */
const MAX_OBSERVATIONS = 1_000;

/** What ran for a session, as a tree of observations for each of its traces. */
@Injectable()
export class TracesService {
  constructor(
    private readonly statements: Statements,
    private readonly reads: Reads,
    private readonly policies: LedgerPolicies,
  ) {}

  /** In the transaction of what was observed. Answers with the session of each trace, by its id. */
  async record(
    em: EntityManager,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Promise<Map<string, string>> {
    const query = recordObserved(projectId, appId, observed);
    const rows = await this.statements.runIn<{ id: string; session_id: string }>(em, query);
    return new Map(rows.map((row) => [row.id, row.session_id]));
  }

  /** The same where nobody asks for them: it goes with the next statement. */
  async write(
    em: EntityManager,
    projectId: Id<'project'>,
    appId: Id<'app'> | null,
    observed: readonly Observed[],
  ): Promise<void> {
    await this.statements.writeIn(em, recordObserved(projectId, appId, observed));
  }

  /** Pages count from 1. */
  async ofSession(
    projectId: Id<'project'>,
    sessionId: string,
    { page, limit }: { page: number; limit: number },
  ): Promise<{ traces: Trace[]; total: number }> {
    const calls = (await this.policies.payloads(projectId)) === 'omit' ? 'without texts' : 'with texts';
    return this.reads.together(async (ask) => {
      const [counted] = await ask<{ total: number }>(countTraces(projectId, sessionId));
      const rows = await ask<TraceRow>(tracesOfSession(projectId, sessionId, (page - 1) * limit, limit));
      const traceIds = rows.map(({ id }) => id);
      const found = await ask<ObservationRow>(observationsOf(projectId, traceIds, MAX_OBSERVATIONS, calls));
      const observations = Map.groupBy(found, (row) => row.trace_id);
      return { traces: rows.map((row) => toTrace(row, observations.get(row.id) ?? [])), total: counted!.total };
    });
  }

  /** All that ran for a session: how many traces and observations there were. */
  async forget(
    em: EntityManager,
    projectId: Id<'project'>,
    sessionId: string,
  ): Promise<{ traces: number; observations: number }> {
    const [gone = { traces: 0, observations: 0 }] = await this.statements.runIn<{
      traces: number;
      observations: number;
    }>(em, deleteOfSession(projectId, sessionId));
    return gone;
  }
}
