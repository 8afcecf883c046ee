import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import { type Id, newId } from '../../kernel/ids.js';
import { columns, planned, raw, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { Place } from '../tenancy/places.service.js';
import type { EndReason, Session, SessionStatus } from './session.js';

interface NewSession {
  reference: string | null;
  userReference: string;
  source: string;
  appVersionId: Id<'agentVersion'> | null;
  /** Which is at work in it from the beginning. */
  runId: Id<'run'> | null;
}

/** What a turn adds to its session. */
export interface TurnTotals {
  llmCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  latencyMs: number;
}

/** A session, as the database is asked for it. */
export const SESSION = columns<Session>({
  id: 'id',
  projectId: 'project_id',
  appId: 'app_id',
  environment: 'environment',
  envId: 'env_id',
  reference: 'reference',
  userId: 'user_id',
  userReference: 'user_reference',
  source: 'source',
  status: 'status',
  appVersionId: 'app_version_id',
  runId: 'run_id',
  createdAt: 'created_at',
  lastActivityAt: 'last_activity_at',
  endedAt: 'ended_at',
  endReason: 'end_reason',
  closedAt: 'closed_at',
  farewell: 'farewell',
  summary: 'summary',
  turns: 'turns',
  llmCalls: 'llm_calls',
  inputTokens: 'input_tokens::float8',
  outputTokens: 'output_tokens::float8',
  cost: 'cost::float8',
  latencyMs: 'latency_ms::float8',
});

/** Others may read it and refer to it; whoever changes it waits. */
const HELD = raw('for no key update');

/** The statements behind sessions. Many may want the same one at the same moment: the database decides. */
@Injectable()
export class SessionStore {
  constructor(private readonly statements: Statements) {}

  async byId(em: EntityManager, { appId, environment }: Place, id: string): Promise<Session | null> {
    return this.one(em, sql`id = ${id} and app_id = ${appId} and environment = ${environment}`);
  }

  async find(id: Id<'session'>): Promise<Session | null> {
    const [session] = await this.statements.run<Session>(planned`select ${SESSION} from session where id = ${id}`);
    return session ?? null;
  }

  async holdById(em: EntityManager, id: string): Promise<Session | null> {
    return this.one(em, sql`id = ${id} ${HELD}`);
  }

  async live(em: EntityManager, { appId, environment }: Place, reference: string): Promise<Session | null> {
    return this.one(
      em,
      sql`app_id = ${appId} and environment = ${environment} and reference = ${reference} and ended_at is null`,
    );
  }

  /** The newest of that reference, ended or not. */
  async newest(em: EntityManager, { appId, environment }: Place, reference: string): Promise<Session | null> {
    return this.one(
      em,
      sql`app_id = ${appId} and environment = ${environment} and reference = ${reference}
          order by ended_at is not null, created_at desc, id desc limit 1`,
    );
  }

  async read(projectId: Id<'project'>, appId: Id<'app'>, id: string): Promise<Session | null> {
    const [session] = await this.statements.run<Session>(
      planned`select ${SESSION} from session where id = ${id} and app_id = ${appId} and project_id = ${projectId}`,
    );
    return session ?? null;
  }

  /** Nothing where one of that reference has come to be meanwhile. */
  async insert(em: EntityManager, place: Place, wish: NewSession): Promise<Session | null> {
    const now = clock.now();
    const { projectId, appId, environment, envId } = place;
    const { reference, userReference, source, appVersionId, runId } = wish;
    const [session] = await this.statements.runIn<Session>(
      em,
      planned`
      with known as (
        insert into app_user (id, project_id, app_id, reference, created_at, last_seen_at)
        values (${newId('user')}, ${projectId}, ${appId}, ${userReference}, ${now}, ${now})
        on conflict (app_id, reference) do update set last_seen_at = excluded.last_seen_at
        returning id)
      insert into session (id, project_id, app_id, environment, env_id, reference, user_id, user_reference, source,
                           status, app_version_id, run_id, created_at, last_activity_at)
      select ${newId('session')}, ${projectId}, ${appId}, ${environment}, ${envId}, ${reference}, known.id,
             ${userReference}, ${source}, ${runId ? 'busy' : 'started'}, ${appVersionId}, ${runId ?? newId('run')}, ${now}, ${now}
      from known
      on conflict (app_id, environment, reference) where ended_at is null and reference is not null do nothing
      returning ${SESSION}`,
    );
    return session ?? null;
  }

  /** False where it has ended. */
  async touch(em: EntityManager, id: Id<'session'>): Promise<boolean> {
    return this.changeLive(em, id, sql`last_activity_at = ${clock.now()}`);
  }

  /** False where it has ended. */
  async begin(em: EntityManager, id: Id<'session'>, runId: Id<'run'>): Promise<boolean> {
    return this.changeLive(em, id, sql`status = 'busy', run_id = ${runId}, last_activity_at = ${clock.now()}`);
  }

  async rest(em: EntityManager, id: Id<'session'>, status: SessionStatus, totals: TurnTotals): Promise<void> {
    const { llmCalls, inputTokens, outputTokens, cost, latencyMs } = totals;
    await this.statements.writeIn(
      em,
      planned`
      update session set
        status = case when ended_at is null then ${status} else status end, last_activity_at = ${clock.now()},
        turns = turns + 1, llm_calls = llm_calls + ${llmCalls}, input_tokens = input_tokens + ${inputTokens},
        output_tokens = output_tokens + ${outputTokens}, cost = cost + ${cost}::numeric,
        latency_ms = latency_ms + ${Math.round(latencyMs)}
      where id = ${id}`,
    );
  }

  async end(em: EntityManager, id: Id<'session'>, reason: EndReason): Promise<boolean> {
    return this.changeLive(em, id, sql`status = 'terminated', ended_at = ${clock.now()}, end_reason = ${reason}`);
  }

  /** Deletes its memory and keeps what was said of it in the end. */
  async close(em: EntityManager, id: Id<'session'>, farewell: string, summary: string): Promise<void> {
    await this.statements.writeIn(em, sql`delete from session_memory where session_id = ${id}`);
    await this.statements.writeIn(
      em,
      sql`update session set closed_at = ${clock.now()}, farewell = ${farewell}, summary = ${summary} where id = ${id}`,
    );
  }

  /** Those that nobody has spoken in since then, the longest first. */
  async idleSince(time: Date, limit: number): Promise<Id<'session'>[]> {
    const rows = await this.statements.run<{ id: Id<'session'> }>(
      `select id from session where ended_at is null and status <> 'busy' and last_activity_at < $1
       order by last_activity_at limit $2`,
      [time, limit],
    );
    return rows.map(({ id }) => id);
  }

  private async one(em: EntityManager, where: Sql): Promise<Session | null> {
    const [session] = await this.statements.runIn<Session>(em, planned`select ${SESSION} from session where ${where}`);
    return session ?? null;
  }

  private async changeLive(em: EntityManager, id: Id<'session'>, change: Sql): Promise<boolean> {
    const rows = await this.statements.runIn(
      em,
      planned`update session set ${change} where id = ${id} and ended_at is null returning id`,
    );
    return rows.length > 0;
  }
}
