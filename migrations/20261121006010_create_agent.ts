import { Migration } from '@mikro-orm/migrations';

/** Agents, their versions, and which version is active where and since when. */
export class CreateAgent extends Migration {
  override up(): void {
    this.addSql(`
      create table agent (
        id text collate "C" primary key,
        app_id text collate "C" not null references app on delete cascade,
        name text not null,
        latest_number integer not null,
        created_at timestamptz not null,
        modified_at timestamptz not null
      )`);
    this.addSql(`create index agent_app on agent (app_id, id)`);
    this.addSql(`
      create table agent_version (
        id text collate "C" primary key,
        agent_id text collate "C" not null references agent on delete cascade,
        number integer not null,
        instructions text not null,
        connection_id text collate "C",
        model_id text collate "C",
        model text,
        tool_ids text[] not null,
        welcome_message text,
        fallback_message text,
        history_tokens integer not null,
        max_steps integer not null,
        timeout_seconds integer not null,
        created_at timestamptz not null,
        unique (agent_id, number)
      )`);
    this.addSql(`
      create table agent_activation (
        number bigint generated always as identity primary key,
        environment_id text collate "C" not null references environment on delete cascade,
        version_id text collate "C" not null references agent_version,
        activated_at timestamptz not null,
        ended_at timestamptz
      )`);
    this.addSql(`create unique index agent_activation_now on agent_activation (environment_id) where ended_at is null`);
    this.addSql(`create index agent_activation_of_version on agent_activation (version_id)`);
    this.addSql(`create index agent_activation_age on agent_activation (ended_at) where ended_at is not null`);
    this.addSql(`
      create table run (
        id text collate "C" primary key,
        number bigint generated always as identity,
        project_id text collate "C" not null,
        app_id text collate "C" not null,
        session_id text collate "C" not null references session on delete cascade,
        environment text not null,
        user_id text collate "C" not null,
        version_id text collate "C" not null,
        state text not null check (state in ('queued', 'running', 'suspended', 'completed', 'failed')),
        job_id text collate "C" not null,
        sink_name text,
        sink_ref text,
        channel text not null,
        is_new_session boolean not null,
        is_streamed boolean not null,
        is_resumed boolean not null default false,
        trace_id text collate "C" not null,
        observation_id text collate "C" not null,
        created_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        error_code text,
        error_message text,
        used_fallback boolean not null default false,
        llm_calls integer not null default 0,
        tool_calls integer not null default 0,
        input_tokens bigint not null default 0,
        output_tokens bigint not null default 0,
        cost numeric not null default 0,
        active_ms bigint not null default 0,
        check ((finished_at is not null) = (state in ('completed', 'failed')))
      )`);
    this.addSql(`create index run_session on run (session_id, number)`);
    this.addSql(`
      create index run_alive on run (session_id) where state in ('queued', 'running', 'suspended')`);
    this.addSql(`create index run_trace on run (project_id, trace_id)`);
  }
}
