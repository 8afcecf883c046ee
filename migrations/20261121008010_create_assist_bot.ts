import { Migration } from '@mikro-orm/migrations';

export class CreateAssistBot extends Migration {
  override up(): void {
    this.addSql(`
      create table assist_bot (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        name text not null,
        connection_id text collate "C",
        agent_id text collate "C",
        subscription_id text collate "C",
        strict boolean not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create index assist_bot_project on assist_bot (project_id, id)`);
  }
}
