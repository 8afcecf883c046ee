import { Migration } from '@mikro-orm/migrations';

export class CreateToolRun extends Migration {
  override up(): void {
    this.addSql(`
      create table tool_run (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        tool_id text collate "C" not null references tool on delete cascade,
        version_id text collate "C" not null references tool_version on delete cascade,
        callflow_id text not null,
        idempotency_key text,
        caller_name text,
        caller_ref text,
        environment text,
        session_id text,
        trace_id text collate "C",
        parent_observation_id text collate "C",
        tokens_sealed text,
        state text not null check (state in ('running', 'suspended', 'completed', 'failed')),
        epoch integer not null default 0,
        was_suspended boolean not null default false,
        suspended_until timestamptz,
        timeout_ms integer not null,
        active_ms integer not null default 0,
        input text not null,
        output text,
        error_code text,
        error_message text,
        created_at timestamptz not null,
        ended_at timestamptz,
        check ((state in ('completed', 'failed')) = (ended_at is not null)),
        check ((state = 'suspended') = (suspended_until is not null))
      )`);
    this.addSql(`create unique index tool_run_key on tool_run (project_id, idempotency_key)`);
    this.addSql(`create index tool_run_tool on tool_run (tool_id, id)`);
    this.addSql(`create index tool_run_version on tool_run (version_id)`);
    this.addSql(`create index tool_run_ended on tool_run (ended_at)`);
    this.addSql(`create index tool_run_project_ended on tool_run (project_id, ended_at)`);
    // The output is masked. If it contained secrets, the run goes on with output_sealed.
    this.addSql(`
      create table tool_run_step (
        id text collate "C" primary key,
        run_id text collate "C" not null references tool_run on delete cascade,
        step integer not null,
        node_id text not null,
        type text not null,
        status text not null check (status in ('completed', 'failed')),
        way text,
        input text,
        output text,
        output_sealed text,
        error_code text,
        error_message text,
        started_at timestamptz not null,
        ended_at timestamptz not null,
        unique (run_id, step)
      )`);
    this.addSql(`
      create table tool_suspension (
        id text collate "C" primary key,
        run_id text collate "C" not null references tool_run on delete cascade,
        number integer not null,
        secret_sealed text not null,
        state text not null check (state in ('open', 'received', 'expired')),
        payload text,
        expires_at timestamptz,
        created_at timestamptz not null,
        unique (run_id, number)
      )`);
  }
}
