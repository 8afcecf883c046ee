import { Migration } from '@mikro-orm/migrations';

export class CreateFile extends Migration {
  override up(): void {
    this.addSql(`
      create table file (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        context text not null,
        name text not null,
        extension text not null,
        size bigint not null check (size >= 0),
        content_id text collate "C" not null unique,
        created_at timestamptz not null
      )`);
    this.addSql(`create index file_project on file (project_id, id)`);
    // A content consists of its parts in order: one part for a file that came in one request, otherwise the chunks of
    // its upload.
    this.addSql(`
      create table file_part (
        content_id text collate "C" not null,
        number integer not null,
        project_id text collate "C" not null references project,
        size bigint not null check (size >= 0),
        object text collate "C" not null,
        primary key (content_id, number)
      )`);
    this.addSql(`create index file_part_project on file_part (project_id)`);
    // The bytes that files take, and those that running uploads may still take.
    this.addSql(`
      create table project_storage (
        project_id text collate "C" primary key references project on delete cascade,
        bytes bigint not null check (bytes >= 0)
      )`);
  }
}
