import { Migration } from '@mikro-orm/migrations';

/** The MCP servers whose tools a project's agents call. */
export class CreateMcpConnection extends Migration {
  override up(): void {
    this.addSql(`
      create table mcp_connection (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        name text not null,
        url text not null,
        status text not null check (status in ('ACTIVE', 'INACTIVE')),
        headers_json text not null,
        headers_sealed text not null,
        allowed_tools text[],
        auth_profile text,
        timeout_ms integer not null,
        created_at timestamptz not null,
        modified_at timestamptz not null
      )`);
    this.addSql(`create index mcp_connection_project on mcp_connection (project_id, id)`);
  }
}
