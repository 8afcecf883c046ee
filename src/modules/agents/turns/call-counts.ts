import type { Statement } from '../../../platform/database/statement.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { Injectable } from '@nestjs/common';
import type { MadeCall } from '../../gateway/gateway.service.js';
import { SessionTotals } from '../../sessions/list/session-totals.service.js';
import type { AgentRunRow } from '../runs/agent-run.entity.js';
import { AgentRunRepository } from '../runs/agent-run.repository.js';

/** Counts the calls of a turn, so that a session's totals are those of its rows in the ledger. */
@Injectable()
export class CallCounts {
  constructor(
    private readonly runs: AgentRunRepository,
    private readonly totals: SessionTotals,
  ) {}

  /**
   * A turn that was broken off has ended before its call has: then the session counts it. What is remembered of the
   * call goes along. False where the session has been erased.
   */
  async add(
    tx: Transaction,
    { id: runId, sessionId }: AgentRunRow,
    call: MadeCall,
    remembered: Statement<void> | null = null,
  ): Promise<boolean> {
    const { runs } = this;
    const added = remembered ? runs.addCallBehind(remembered, runId, call) : runs.addCall(runId, call);
    return (await tx.ask(added)) || this.totals.add(tx, sessionId, call);
  }
}
