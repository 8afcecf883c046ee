import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import type { Transaction } from '../../../platform/database/transaction.js';
import { type LooseCall, SessionRepository } from '../session.repository.js';

/** What turns do not add to their sessions at their ends: such as the call for the summary. */
@Injectable()
export class SessionTotals {
  constructor(private readonly sessions: SessionRepository) {}

  /** False where the session has been erased. Locks it until the commit. */
  add(tx: Transaction, sessionId: Id<'session'>, call: LooseCall): Promise<boolean> {
    return tx.ask(this.sessions.addCall(sessionId, call));
  }
}
