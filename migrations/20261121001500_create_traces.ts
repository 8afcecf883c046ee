import { Migration } from '@mikro-orm/migrations';

/** The traces: what ran in which order. Every key begins with the project. */
export class CreateTraces extends Migration {
  override up(): void {
    // The name, the input and the output of a trace are those of its first observation, whenever that arrives.
    this.addSql(`
      create table trace (
        project_id text collate "C" not null,
        id text collate "C" not null,
        app_id text collate "C",
        session_id text collate "C" not null,
        started_at timestamptz not null,
        ended_at timestamptz not null,
        primary key (project_id, id)
      )`);
    this.addSql(`create index trace_session on trace (project_id, session_id, started_at) where session_id <> ''`);
    this.addSql(`create index trace_age on trace (started_at)`);
    this.addSql(`create index trace_age_of_project on trace (project_id, started_at)`);
    // The parent has no foreign key, because it may arrive later or never. Attributes are text, because jsonb changes
    // what it stores.
    this.addSql(`
      create table observation (
        project_id text collate "C" not null,
        trace_id text collate "C" not null,
        id text collate "C" not null,
        parent_id text collate "C",
        kind text not null check (kind in ('GENERATION', 'SPAN')),
        name text not null,
        started_at timestamptz not null,
        ended_at timestamptz not null,
        status text not null check (status in ('success', 'failed')),
        status_message text not null,
        model text,
        provider text,
        input_tokens integer,
        output_tokens integer,
        cost numeric,
        input text,
        output text,
        attributes text not null,
        primary key (project_id, trace_id, id)
      )`);
    this.addSql(`create index observation_age on observation (started_at)`);
    this.addSql(`create index observation_age_of_project on observation (project_id, started_at)`);
  }
}
