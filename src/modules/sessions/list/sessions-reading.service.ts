import { Injectable } from '@nestjs/common';
import { clock } from '../../../kernel/clock.js';
import type { Id } from '../../../kernel/ids.js';
import { DAY_MS } from '../../../kernel/spans.js';
import { Database } from '../../../platform/database/database.js';
import { Reads } from '../../../platform/database/reads.js';
import { TracesService } from '../../traces/traces.service.js';
import type { SessionRow } from '../session.entity.js';
import { SessionRepository } from '../session.repository.js';
import type { Matching } from './session-matching.statements.js';
import { sessionsErrors } from '../sessions.errors.js';
import type { Details, DetailsQuery, ListSessions, SessionsQuery } from './sessions-read.schema.js';

/** Lists sessions, and reads one with its traces. */
@Injectable()
export class SessionsReading {
  constructor(
    private readonly reads: Reads,
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly traces: TracesService,
  ) {}

  /** Returns a page of sessions, newest first, and the number of all that match. */
  async list(
    projectId: Id<'project'>,
    appId: Id<'app'>,
    filter: ListSessions,
    page: SessionsQuery,
  ): Promise<{ sessions: SessionRow[]; total: number }> {
    const end = filter.end_time ?? clock.now();
    const start = filter.start_time ?? new Date(end.getTime() - DAY_MS);
    const matching: Matching = {
      projectId,
      appId,
      from: start,
      to: end,
      environment: filter.env_name,
      source: filter.source,
      userReference: filter.user_reference_id,
      reference: filter.session_reference_id,
    };
    return this.reads.together((ask) => this.sessions.list(ask, matching, page));
  }

  async details(projectId: Id<'project'>, appId: Id<'app'>, query: DetailsQuery): Promise<Details> {
    const session = await this.database.ask(this.sessions.inApp(projectId, appId, query.session_id));
    if (!session) throw sessionsErrors.sessionNotFound();
    const { traces, total } = await this.traces.ofSession(projectId, session.id, query);
    return { session, traces: query.include.length > 0 ? traces : [], total };
  }
}
