import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { MadeCall } from '../gateway/gateway.service.js';
import { SessionTotals } from '../sessions/session-totals.service.js';
import type { Run } from './run.js';
import { RunStore } from './run-store.js';

/** Counts the calls of a turn, so that a session's totals are those of its rows in the ledger. */
@Injectable()
export class CallCounts {
  constructor(
    private readonly runs: RunStore,
    private readonly totals: SessionTotals,
  ) {}

  /**
   * A turn that was broken off has ended before its call has: then the session counts it. False where that has been
   * erased.
   */
  async add(em: EntityManager, { runId, sessionId }: Run, call: MadeCall): Promise<boolean> {
    return (await this.runs.addCall(em, runId, call)) || this.totals.add(em, sessionId, call);
  }
}
