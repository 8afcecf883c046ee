import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { cutPage, type Page, type PageRequest } from '../../kernel/page.js';
import { sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';

/** Somebody who has sessions in an app. */
export interface AppUser {
  id: Id<'user'>;
  reference: string;
  createdAt: Date;
  lastSeenAt: Date;
}

/** What was taken away of a user. */
export interface ErasureReport {
  sessions: number;
  traces: number;
  observations: number;
  payloads: number;
  attachments: number;
  toolRuns: number;
  /** Of the webhook channel. */
  messages: number;
}

export interface Erasure {
  userId: Id<'user'>;
  state: 'running' | 'done' | 'failed';
  requestedAt: Date;
  finishedAt: Date | null;
  report: ErasureReport;
  /** That were attached to sessions of the user: they are the project's, and stay. */
  fileIds: string[];
}

interface UserRow {
  id: Id<'user'>;
  reference: string;
  created_at: Date;
  last_seen_at: Date;
}

interface ErasureRow {
  user_id: Id<'user'>;
  state: Erasure['state'];
  requested_at: Date;
  finished_at: Date | null;
  report: string;
  file_ids: string[];
}

const NOTHING_ERASED: ErasureReport = {
  sessions: 0,
  traces: 0,
  observations: 0,
  payloads: 0,
  attachments: 0,
  toolRuns: 0,
  messages: 0,
};

/** Users, and what is being taken away of them. */
@Injectable()
export class ErasureStore {
  constructor(private readonly statements: Statements) {}

  async users(appId: Id<'app'>, reference: string | undefined, { cursor, limit }: PageRequest): Promise<Page<AppUser>> {
    const rows = await this.statements.run<UserRow>(
      `select id, reference, created_at, last_seen_at from app_user
       where app_id = $1 and ($2::text is null or reference = $2) and id > $3 order by id limit $4`,
      [appId, reference ?? null, cursor ?? '', limit + 1],
    );
    const users = rows.map((row) => {
      return { id: row.id, reference: row.reference, createdAt: row.created_at, lastSeenAt: row.last_seen_at };
    });
    return cutPage(users, limit);
  }

  async hasUser(appId: Id<'app'>, userId: Id<'user'>): Promise<boolean> {
    const rows = await this.statements.run(sql`select from app_user where id = ${userId} and app_id = ${appId}`);
    return rows.length > 0;
  }

  async read(appId: Id<'app'>, userId: Id<'user'>): Promise<Erasure | null> {
    const [row] = await this.statements.run<ErasureRow>(
      'select * from user_erasure where user_id = $1 and app_id = $2',
      [userId, appId],
    );
    return row ? toErasure(row) : null;
  }

  /** Asked for again, it goes on where it was. */
  async begin(em: EntityManager, projectId: Id<'project'>, appId: Id<'app'>, userId: Id<'user'>): Promise<Erasure> {
    const [row] = await this.statements.runIn<ErasureRow>(
      em,
      sql`
      insert into user_erasure (user_id, project_id, app_id, state, requested_at, report, file_ids)
      values (${userId}, ${projectId}, ${appId}, 'running', ${clock.now()}, ${JSON.stringify(NOTHING_ERASED)}, '{}')
      on conflict (user_id) do update set state = 'running', finished_at = null
      returning *`,
    );
    return toErasure(row!);
  }

  async sessionsOf(userId: Id<'user'>, limit: number): Promise<Id<'session'>[]> {
    const rows = await this.statements.run<{ id: Id<'session'> }>(
      'select id from session where user_id = $1 order by created_at limit $2',
      [userId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** With all that refers to it. */
  async deleteSession(em: EntityManager, sessionId: Id<'session'>): Promise<string[]> {
    const files = await this.statements.runIn<{ file_id: string }>(
      em,
      sql`delete from session_attachment where session_id = ${sessionId} returning file_id`,
    );
    await this.statements.runIn(em, sql`delete from session where id = ${sessionId}`);
    return files.map(({ file_id: fileId }) => fileId);
  }

  async add(
    em: EntityManager,
    userId: Id<'user'>,
    more: Partial<ErasureReport>,
    fileIds: readonly string[],
  ): Promise<void> {
    const [row] = await this.statements.runIn<ErasureRow>(
      em,
      sql`select * from user_erasure where user_id = ${userId} for update`,
    );
    if (!row) return;
    const { report } = toErasure(row);
    for (const name of Object.keys(report) as (keyof ErasureReport)[]) report[name] += more[name] ?? 0;
    await this.statements.runIn(
      em,
      sql`update user_erasure set report = ${JSON.stringify(report)}, file_ids = file_ids || ${fileIds}::text[]
          where user_id = ${userId}`,
    );
  }

  async finish(em: EntityManager, userId: Id<'user'>, state: 'done' | 'failed'): Promise<void> {
    if (state === 'done') await this.statements.runIn(em, sql`delete from app_user where id = ${userId}`);
    await this.statements.runIn(
      em,
      sql`update user_erasure set state = ${state}, finished_at = ${clock.now()} where user_id = ${userId}`,
    );
  }
}

function toErasure(row: ErasureRow): Erasure {
  return {
    userId: row.user_id,
    state: row.state,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
    report: { ...NOTHING_ERASED, ...(JSON.parse(row.report) as Partial<ErasureReport>) },
    fileIds: row.file_ids,
  };
}
