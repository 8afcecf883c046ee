import { Migration } from '@mikro-orm/migrations';

export class CreateUploadSession extends Migration {
  override up(): void {
    // The chunks are the rows of file_part under this id. Their counts are kept here, so that completing an upload
    // reads one row.
    this.addSql(`
      create table upload_session (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        context text not null,
        name text not null,
        extension text not null,
        size bigint not null check (size > 0),
        total_chunks integer not null check (total_chunks > 0),
        received_chunks integer not null default 0,
        received_bytes bigint not null default 0,
        has_first boolean not null default false,
        has_last boolean not null default false,
        revision integer not null default 0,
        reserved_bytes bigint not null default 0,
        model_id text,
        file_id text collate "C",
        import_started jsonb,
        completed_at timestamptz,
        expires_at timestamptz not null,
        created_at timestamptz not null,
        check (not (has_first and has_last))
      )`);
    this.addSql(`create index upload_session_project on upload_session (project_id)`);
    this.addSql(
      `create index upload_session_open on upload_session (expires_at) where reserved_bytes > 0 and file_id is null`,
    );
    this.addSql(`create index upload_session_age on upload_session (expires_at)`);
  }
}
