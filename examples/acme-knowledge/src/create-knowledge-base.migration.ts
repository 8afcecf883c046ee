import { Migration } from '@mikro-orm/migrations';

export class CreateKnowledgeBase extends Migration {
  override up(): void {
    this.addSql(`
      create table acme_knowledge_base (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        name text not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create index acme_knowledge_base_project on acme_knowledge_base (project_id, id)`);
    this.addSql(`create unique index acme_knowledge_base_name on acme_knowledge_base (project_id, lower(name))`);
  }
}
