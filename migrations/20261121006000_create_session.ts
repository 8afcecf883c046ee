import { Migration } from '@mikro-orm/migrations';

/** Conversations, their users, and what is remembered while they last. */
export class CreateSession extends Migration {
  override up(): void {
    this.addSql(`
      create table app_user (
        id text collate "C" primary key,
        project_id text collate "C" not null,
        app_id text collate "C" not null references app on delete cascade,
        reference text collate "C" not null,
        created_at timestamptz not null,
        last_seen_at timestamptz not null,
        unique (app_id, reference)
      )`);
    this.addSql(`create index app_user_age on app_user (last_seen_at)`);
    this.addSql(`
      create table session (
        id text collate "C" primary key,
        project_id text collate "C" not null,
        app_id text collate "C" not null references app on delete cascade,
        environment text not null,
        env_id text collate "C" not null,
        reference text collate "C",
        user_id text collate "C" not null,
        user_reference text collate "C" not null,
        source text collate "C" not null,
        status text not null check (status in ('started', 'idle', 'busy', 'error', 'terminated')),
        app_version_id text collate "C",
        run_id text collate "C" not null,
        created_at timestamptz not null,
        last_activity_at timestamptz not null,
        ended_at timestamptz,
        end_reason text,
        closed_at timestamptz,
        farewell text,
        summary text,
        turns integer not null default 0,
        llm_calls integer not null default 0,
        input_tokens bigint not null default 0,
        output_tokens bigint not null default 0,
        cost numeric not null default 0,
        latency_ms bigint not null default 0,
        check ((ended_at is null) = (status <> 'terminated')),
        check (closed_at is null or ended_at is not null)
      )`);
    // Several requests that create a session at the same moment create only one.
    this.addSql(`
      create unique index session_live on session (app_id, environment, reference)
      where ended_at is null and reference is not null`);
    this.addSql(`create index session_list on session (app_id, created_at, id)`);
    this.addSql(`
      create index session_reference on session (app_id, reference, created_at) where reference is not null`);
    this.addSql(`create index session_of_user on session (app_id, user_reference, created_at)`);
    this.addSql(`create index session_of_user_id on session (user_id)`);
    this.addSql(`create index session_idle on session (last_activity_at) where ended_at is null and status <> 'busy'`);
    this.addSql(`create index session_age on session (ended_at) where ended_at is not null`);
    this.addSql(`create index session_age_of_project on session (project_id, ended_at) where ended_at is not null`);
    // The memory of a session: its messages, and the answers of tools. It is deleted when the session ends; the record
    // stays.
    this.addSql(`
      create table session_memory (
        session_id text collate "C" not null references session on delete cascade,
        turn bigint not null,
        step integer not null,
        kind text not null check (kind in ('summary', 'user', 'model', 'tool', 'answer')),
        content text not null,
        tokens integer not null,
        primary key (session_id, turn, step)
      )`);
    this.addSql(`
      create table session_attachment (
        session_id text collate "C" not null references session on delete cascade,
        file_id text collate "C" not null,
        number integer not null,
        file_name text not null,
        file_type text not null,
        size bigint not null,
        tokens integer not null,
        primary key (session_id, file_id)
      )`);
    this.addSql(`
      create table session_settings (
        app_id text collate "C" primary key references app on delete cascade,
        max_file_count integer not null,
        max_file_size integer not null,
        max_tokens integer not null,
        is_attachments_enabled boolean not null
      )`);
    this.addSql(`
      create table user_erasure (
        user_id text collate "C" primary key,
        project_id text collate "C" not null,
        app_id text collate "C" not null,
        state text not null check (state in ('running', 'done', 'failed')),
        requested_at timestamptz not null,
        finished_at timestamptz,
        report text not null,
        file_ids text[] not null
      )`);
    this.addSql(`create index user_erasure_age on user_erasure (finished_at) where finished_at is not null`);
  }
}
