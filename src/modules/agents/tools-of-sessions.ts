import type { EntityManager } from '@mikro-orm/postgresql';
import { KeepsOfSessions, type Session, SessionKeeper } from '../sessions/sessions.port.js';
import { ToolRuns } from '../tools/tool-runs.service.js';

/** What tools were asked and answered in a session. */
@KeepsOfSessions()
export class ToolsOfSessions extends SessionKeeper {
  constructor(private readonly tools: ToolRuns) {
    super();
  }

  async forget(em: EntityManager, { id }: Session) {
    return { toolRuns: await this.tools.forget(em, id) };
  }
}
