import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { columnsOf, newRow, selectedRow } from '../../platform/database/columns.js';
import type { Ask } from '../../platform/database/reads.js';
import { planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { exists, row, rows, type Statement, theRow, write } from '../../platform/database/statement.js';
import type { EnvironmentRef } from '../tenancy/environments.service.js';
import { type Counts, countMatching } from './list/session-counts.statements.js';
import type { Matching } from './list/session-matching.statements.js';
import { type PageWanted, readPage } from './list/session-pages.statements.js';
import {
  Attachment,
  type AttachmentRow,
  type EndReason,
  type SeenSession,
  Session,
  type SessionRow,
} from './session.entity.js';
import { User } from './user.entity.js';

interface NewSession {
  reference: string | null;
  userReference: string;
  source: string;
  appVersionId: Id<'agentVersion'> | null;
  /** Which is at work in it from the beginning. */
  runId: Id<'agentRun'> | null;
}

/** What a turn adds to its session. */
export interface TurnTotals {
  llmCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  latencyMs: number;
}

/** A call of a model that is no part of any turn that is still to end. */
export interface LooseCall {
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

/** Many may want the same session at the same moment: the database decides. */
export class SessionRepository extends EntityRepository<Session> {
  byId(id: Id<'session'>): Statement<SessionRow | null> {
    return this.one(sql`id = ${id}`);
  }

  /** With its attachments, in the order in which they were attached. */
  withAttachments(id: Id<'session'>): Statement<SeenSession | null> {
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

  /** The newest of that reference, ended or not. */
  newest({ appId, environment }: EnvironmentRef, reference: string): Statement<SessionRow | null> {
    return this.one(
      sql`app_id = ${appId} and environment = ${environment} and reference = ${reference}
          order by ended_at is not null, created_at desc, id desc limit 1`,
    );
  }

  /** Others may still read the session and refer to it; whoever changes it waits. */
  lock(id: Id<'session'>): Statement<SessionRow | null> {
    return this.one(sql`id = ${id} for no key update`).taking('session');
  }

  /** Others may do the same at once; whoever changes the session waits. */
  lockShared(id: Id<'session'>): Statement<void> {
    return write(sql`select from session where id = ${id} for share`).taking('session');
  }

  /** Answers with null where another session of that reference has come to be meanwhile. */
  add(env: EnvironmentRef, { reference, userReference, runId, ...wish }: NewSession): Statement<SessionRow | null> {
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
      ...wish,
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

  /** Answers false where the session has ended. */
  touch(id: Id<'session'>): Statement<boolean> {
    return this.changeLive(id, activeNow());
  }

  /** Answers false where the session has ended. */
  begin(id: Id<'session'>, runId: Id<'agentRun'>): Statement<boolean> {
    return this.changeLive(id, begun(runId));
  }

  /** The same where the live session of that reference is meant. Answers with it, or with null where there is none. */
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

  rest(id: Id<'session'>, status: Sql, totals: TurnTotals): Statement<void> {
    const { llmCalls, inputTokens, outputTokens, cost, latencyMs } = totals;
    return write(planned`
      update session set
        status = case when ended_at is null then ${status} else status end, ${activeNow()},
        turns = turns + 1, llm_calls = llm_calls + ${llmCalls}, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric,
        latency_ms = latency_ms + ${Math.round(latencyMs)}
      where id = ${id}`).taking('session');
  }

  /** Answers false where the session has been erased. */
  addCall(id: Id<'session'>, { inputTokens, outputTokens, cost }: LooseCall): Statement<boolean> {
    return exists(sql`
      update session set llm_calls = llm_calls + 1, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric
      where id = ${id} returning id`).taking('session');
  }

  /** Answers false where the session had ended. */
  end(id: Id<'session'>, reason: EndReason): Statement<boolean> {
    return this.changeLive(id, sql`status = 'terminated', ended_at = ${clock.now()}, end_reason = ${reason}`);
  }

  /** Keeps what was said of the session in the end. */
  close(id: Id<'session'>, farewell: string, summary: string): Statement<void> {
    return write(
      sql`update session set closed_at = ${clock.now()}, farewell = ${farewell}, summary = ${summary} where id = ${id}`,
    ).taking('session');
  }

  /** Sessions that nobody has spoken in since then, the longest first. */
  idleSince(time: Date, limit: number): Statement<Id<'session'>[]> {
    return this.ids(
      sql`select id from session where ended_at is null and active_part < ${time} and last_activity_at < ${time}
            and status <> 'busy' order by active_part limit ${limit}`,
    );
  }

  ofUser(userId: Id<'user'>, limit: number): Statement<Id<'session'>[]> {
    return this.ids(sql`select id from session where user_id = ${userId} order by created_at limit ${limit}`);
  }

  /** With all that refers to it. */
  delete(id: Id<'session'>): Statement<void> {
    return write(sql`delete from session where id = ${id}`).taking('session');
  }

  /** A page of the sessions that match, newest first, and how many there are: as the database was at one moment. */
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

/** A run is at work in it from now on. */
function begun(runId: Id<'agentRun'>): Sql {
  return sql`status = 'busy', run_id = ${runId}, ${activeNow()}`;
}

function activeNow(): Sql {
  const now = clock.now();
  return sql`last_activity_at = ${now}, active_part = ${partOf(now)}`;
}

/** So long that most sessions are active in few of them, and short beside the hours after which one is idle. */
const PART_MS = 600_000;

function partOf(time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % PART_MS));
}
