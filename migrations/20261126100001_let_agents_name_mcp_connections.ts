import { Migration } from '@mikro-orm/migrations';

export class LetAgentsNameMcpConnections extends Migration {
  override up(): void {
    this.addSql(`alter table agent_version add column mcp_connection_ids text[] not null default '{}'`);
  }
}
