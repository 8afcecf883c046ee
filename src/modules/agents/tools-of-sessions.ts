import type { Transaction } from '../../platform/database/transaction.js';
import type { SessionRow } from '../sessions/session.entity.js';
import { KeepsOfSessions, SessionKeeper } from '../sessions/sessions.port.js';
import { ToolRuns } from '../tools/runs/tool-runs.service.js';

/** Deletes the inputs and outputs of tools when the session in which they ran is erased. */
@KeepsOfSessions()
export class ToolsOfSessions extends SessionKeeper {
  constructor(private readonly tools: ToolRuns) {
    super();
  }

  async forget(tx: Transaction, { id }: SessionRow) {
    return { toolRuns: await this.tools.deleteOfSession(tx, id) };
  }
}
