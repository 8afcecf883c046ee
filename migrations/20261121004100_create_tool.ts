import { Migration } from '@mikro-orm/migrations';

export class CreateTool extends Migration {
  override up(): void {
    this.addSql(`
      create table tool (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        name text not null,
        has_failed boolean not null,
        version_id text collate "C",
        deployed_version_id text collate "C",
        deployed_at timestamptz,
        created_at timestamptz not null,
        modified_at timestamptz not null
      )`);
    this.addSql(`create index tool_project on tool (project_id, id)`);
    // Secret variables are empty in variables_json; only secrets_sealed contains their values.
    this.addSql(`
      create table tool_version (
        id text collate "C" primary key,
        tool_id text collate "C" not null references tool on delete cascade,
        number integer not null check (number > 0),
        tool_json text not null,
        callflows_json text not null,
        variables_json text not null,
        secrets_sealed text,
        created_at timestamptz not null,
        unique (tool_id, number)
      )`);
  }
}
