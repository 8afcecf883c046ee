import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { join, raw, sql } from '../../platform/database/sql.js';
import { Reads } from '../../platform/database/reads.js';
import { TracesService } from '../traces/traces.service.js';
import type { Session } from './session.js';
import { SESSION, SessionStore } from './session-store.js';
import { sessionsErrors } from './sessions.errors.js';
import type { Details, DetailsQuery, ListSessions, SessionsQuery } from './sessions-read.schema.js';

const DAY_MS = 86_400_000;

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
    { offset, limit }: SessionsQuery,
  ): Promise<{ sessions: Session[]; total: number }> {
    const end = filter.end_time ?? clock.now();
    const start = filter.start_time ?? new Date(end.getTime() - DAY_MS);
    const exact = { environment: filter.env_name, user_reference: filter.user_reference_id };
    const others = { reference: filter.session_reference_id, source: filter.source };
    const conditions = Object.entries({ app_id: appId, project_id: projectId, ...exact, ...others })
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => sql`${raw(column)} = ${value}`);
    const where = join([...conditions, sql`created_at >= ${start} and created_at < ${end}`], ' and ');
    return this.reads.together(async (ask) => {
      const [{ total } = { total: 0 }] = await ask<{ total: number }>(
        sql`select count(*)::integer as total from session where ${where}`,
      );
      const sessions = await ask<Session>(
        sql`select ${SESSION} from session where ${where} order by created_at desc, id desc offset ${offset} limit ${limit}`,
      );
      return { sessions, total };
    });
  }

  async details(projectId: Id<'project'>, appId: Id<'app'>, query: DetailsQuery): Promise<Details> {
    const session = await this.store.read(projectId, appId, query.session_id);
    if (!session) throw sessionsErrors.sessionNotFound();
    const { traces, total } = await this.traces.ofSession(projectId, session.id, query);
    return { session, traces: query.include.length > 0 ? traces : [], total };
  }
}
