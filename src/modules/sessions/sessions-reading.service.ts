import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { DAY_MS } from '../../kernel/spans.js';
import { Reads } from '../../platform/database/reads.js';
import { TracesService } from '../traces/traces.service.js';
import type { Session } from './session.js';
import { type Counts, countMatching } from './store.counts.js';
import type { Matching } from './store.matching.js';
import { readPage } from './store.pages.js';
import { SessionStore } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import type { Details, DetailsQuery, ListSessions, SessionsQuery } from './sessions-read.schema.js';

/** What sessions there are, and what happened in them. */
@Injectable()
export class SessionsReading {
  constructor(
    private readonly reads: Reads,
    private readonly store: SessionStore,
    private readonly traces: TracesService,
  ) {}

  /** Newest first, and how many there are in all. */
  async list(
    projectId: Id<'project'>,
    appId: Id<'app'>,
    filter: ListSessions,
    page: SessionsQuery,
  ): Promise<{ sessions: Session[]; total: number }> {
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
    return this.reads.together(async (ask) => {
      const [counts] = await ask<Counts>(countMatching(matching));
      const { newer, summed, older } = counts!;
      return { sessions: await readPage(ask, matching, counts!, page), total: newer + summed + older };
    });
  }

  async details(projectId: Id<'project'>, appId: Id<'app'>, query: DetailsQuery): Promise<Details> {
    const session = await this.store.read(projectId, appId, query.session_id);
    if (!session) throw sessionsErrors.sessionNotFound();
    const { traces, total } = await this.traces.ofSession(projectId, session.id, query);
    return { session, traces: query.include.length > 0 ? traces : [], total };
  }
}
