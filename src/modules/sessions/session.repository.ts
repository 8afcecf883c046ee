import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { columnsOf, newRow, selectedRow } from '../../platform/database/columns.js';
import type { Ask } from '../../platform/database/reads.js';
import { opaque, planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { exists, row, rows, type Statement, theRow, write } from '../../platform/database/statement.js';
import type { EnvironmentRef } from '../tenancy/environments.service.js';
import { type Counts, countMatching } from './list/session-counts.statements.js';
import type { Matching } from './list/session-matching.statements.js';
import { type PageWanted, readPage } from './list/session-pages.statements.js';
import {
  Attachment,
  type AttachmentRow,
  type EndReason,
  type SessionWithAttachments,
  Session,
  type SessionRow,
} from './session.entity.js';
import { User } from './user.entity.js';

interface NewSession {
  reference: string | null;
  userReference: string;
  source: string;
  appVersionId: Id<'agentVersion'> | null;
  /** The run with which the session begins, or null if it begins without one. */
  runId: Id<'agentRun'> | null;
}

/** The amounts that a turn adds to the totals of its session. */
export interface TurnTotals {
  llmCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  latencyMs: number;
}

/** A model call outside of the turns, or of a turn that has ended already, which the totals of no turn will include. */
export interface CallOutsideTurns {
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

/** Statements on sessions. Many requests may want the same session at once, and unique indexes decide between them. */
export class SessionRepository extends EntityRepository<Session> {
  byId(id: Id<'session'>): Statement<SessionRow | null> {
    return this.one(sql`id = ${id}`);
  }

  /** Reads a session with its attachments in their order. */
  withAttachments(id: Id<'session'>): Statement<SessionWithAttachments | null> {
    return row<SessionRow & { attachments: AttachmentRow[] }>(planned`
      select ${columnsOf(Session)}, (
        select coalesce(jsonb_agg(to_jsonb(attached)), '[]') from (
          select ${columnsOf(Attachment)} from session_attachment where session_id = session.id order by number
        ) as attached) as attachments
      from session where id = ${id}`).as((found) => {
      if (!found) return null;
      const { attachments, ...session } = found;
      return { session, attachments };
    });
  }

  inApp(projectId: Id<'project'>, appId: Id<'app'>, id: string): Statement<SessionRow | null> {
    return this.one(sql`id = ${id} and app_id = ${appId} and project_id = ${projectId}`);
  }

  inEnvironment({ appId, environment }: EnvironmentRef, id: string): Statement<SessionRow | null> {
    return this.one(sql`id = ${id} and app_id = ${appId} and environment = ${environment}`);
  }

  live({ appId, environment }: EnvironmentRef, reference: string): Statement<SessionRow | null> {
    return this.one(
      sql`app_id = ${appId} and environment = ${environment} and reference = ${reference} and ended_at is null`,
    );
  }

  /** Reads the live session of that reference, or else the newest one that has ended. */
  newest({ appId, environment }: EnvironmentRef, reference: string): Statement<SessionRow | null> {
    return this.one(
      sql`app_id = ${appId} and environment = ${environment} and reference = ${reference}
          order by ended_at is not null, created_at desc, id desc limit 1`,
    );
  }

  /** Locks the session against changes. Other transactions may still insert rows that refer to it. */
  lock(id: Id<'session'>): Statement<SessionRow | null> {
    return this.one(sql`id = ${id} for no key update`).taking('session');
  }

  /** Locks the session against changes. Several transactions may do so at once. */
  lockShared(id: Id<'session'>): Statement<void> {
    return write(sql`select from session where id = ${id} for share`).taking('session');
  }

  /**
   * Adds a session, and its user if it is new. Returns null if another request has just created a session of that
   * reference.
   */
  add(env: EnvironmentRef, { reference, userReference, runId, ...other }: NewSession): Statement<SessionRow | null> {
    const now = clock.now();
    const { projectId, appId, environment, envId } = env;
    const user = newRow(User, {
      id: newId('user'),
      projectId,
      appId,
      reference: userReference,
      createdAt: now,
      lastSeenAt: now,
    });
    const session = selectedRow(Session, {
      ...other,
      id: newId('session'),
      projectId,
      appId,
      environment,
      envId,
      reference,
      userId: raw('known.id'),
      userReference,
      status: runId ? 'busy' : 'started',
      runId: runId ?? newId('agentRun'),
      createdAt: now,
      lastActivityAt: now,
      activePart: partOf(now),
    });
    return row<SessionRow>(planned`
      with known as (
        insert into app_user ${user}
        on conflict (app_id, reference) do update set last_seen_at = excluded.last_seen_at
        returning id)
      insert into session ${session} from known
      on conflict (app_id, environment, reference) where ended_at is null and reference is not null do nothing
      returning ${columnsOf(Session)}`).taking('session');
  }

  /** Records activity. Returns false if the session has ended. */
  touch(id: Id<'session'>): Statement<boolean> {
    return this.changeLive(id, activeNow());
  }

  /** Begins a run in the session. Returns false if the session has ended. */
  begin(id: Id<'session'>, runId: Id<'agentRun'>): Statement<boolean> {
    return this.changeLive(id, begun(runId));
  }

  /** Begins a run in the live session of that reference. Returns the session, or null if there is none. */
  beginLive(
    { appId, environment }: EnvironmentRef,
    reference: string,
    runId: Id<'agentRun'>,
  ): Statement<SessionRow | null> {
    return row<SessionRow>(planned`
      update session set ${begun(runId)}
      where app_id = ${appId} and environment = ${environment} and reference = ${reference} and ended_at is null
      returning ${columnsOf(Session)}`).taking('session');
  }

  endTurn(id: Id<'session'>, status: Sql, totals: TurnTotals): Statement<void> {
    const { llmCalls, inputTokens, outputTokens, cost, latencyMs } = totals;
    return write(planned`
      update session set
        status = case when ended_at is null then ${status} else status end, ${activeNow()},
        turns = turns + 1, llm_calls = llm_calls + ${llmCalls}, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric,
        latency_ms = latency_ms + ${Math.round(latencyMs)}
      where id = ${id}`).taking('session');
  }

  /** Adds a call to the totals. Returns false if the session has been erased. */
  addCall(id: Id<'session'>, { inputTokens, outputTokens, cost }: CallOutsideTurns): Statement<boolean> {
    return exists(sql`
      update session set llm_calls = llm_calls + 1, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric
      where id = ${id} returning id`).taking('session');
  }

  /** Ends a session. Returns false if it had ended already. */
  end(id: Id<'session'>, reason: EndReason): Statement<boolean> {
    return this.changeLive(id, sql`status = 'terminated', ended_at = ${clock.now()}, end_reason = ${reason}`);
  }

  /** Records the farewell and the summary of an ended session. */
  close(id: Id<'session'>, farewell: string, summary: string): Statement<void> {
    return write(
      sql`update session set closed_at = ${clock.now()}, farewell = ${farewell}, summary = ${summary} where id = ${id}`,
    ).taking('session');
  }

  /** Finds live sessions without activity since that time, the longest idle first. */
  idleSince(time: Date, limit: number): Statement<Id<'session'>[]> {
    return this.ids(
      sql`select id from session where ${opaque('ended_at is null')} and active_part < ${time} and last_activity_at < ${time}
            and status <> 'busy' order by active_part limit ${limit}`,
    );
  }

  ofUser(userId: Id<'user'>, limit: number): Statement<Id<'session'>[]> {
    return this.ids(sql`select id from session where user_id = ${userId} order by created_at limit ${limit}`);
  }

  /** Deletes a session with all rows that refer to it. */
  delete(id: Id<'session'>): Statement<void> {
    return write(sql`delete from session where id = ${id}`).taking('session');
  }

  /** Returns a page of the matching sessions, newest first, and their number. `ask` reads both from one snapshot. */
  async list(ask: Ask, matching: Matching, page: PageWanted): Promise<{ sessions: SessionRow[]; total: number }> {
    const counts = await ask(theRow<Counts>(countMatching(matching)));
    const { newer, summed, older } = counts;
    return { sessions: await readPage(ask, matching, counts, page), total: newer + summed + older };
  }

  private one(where: Sql): Statement<SessionRow | null> {
    return row(planned`select ${columnsOf(Session)} from session where ${where}`);
  }

  private ids(query: Sql): Statement<Id<'session'>[]> {
    return rows<Pick<SessionRow, 'id'>>(query).as((found) => found.map(({ id }) => id));
  }

  private changeLive(id: Id<'session'>, change: Sql): Statement<boolean> {
    return exists(planned`update session set ${change} where id = ${id} and ended_at is null returning id`).taking(
      'session',
    );
  }
}

/** The change of a session in which a run begins. */
function begun(runId: Id<'agentRun'>): Sql {
  return sql`status = 'busy', run_id = ${runId}, ${activeNow()}`;
}

function activeNow(): Sql {
  const now = clock.now();
  return sql`last_activity_at = ${now}, active_part = ${partOf(now)}`;
}

/**
 * Long enough that most sessions are active in few parts, and short compared with the hours after which one is idle.
 */
const PART_MS = 600_000;

function partOf(time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % PART_MS));
}
