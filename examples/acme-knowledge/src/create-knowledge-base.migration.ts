import { Migration } from '@mikro-orm/migrations';

export class CreateKnowledgeBase extends Migration {
  override up(): void {
    this.addSql(`
      create table acme_knowledge_base (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        name text not null,
        words integer,
        created_at timestamptz not null
      )`);
    this.addSql(`create index acme_knowledge_base_project on acme_knowledge_base (project_id, id)`);
    this.addSql(`create unique index acme_knowledge_base_name on acme_knowledge_base (project_id, lower(name))`);
    this.addSql(`
      create table acme_knowledge_document (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        base_id text collate "C" not null references acme_knowledge_base on delete cascade,
        title text not null,
        text text not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create index acme_knowledge_document_title on acme_knowledge_document (base_id, lower(title), id)`);
    this.addSql(`create index acme_knowledge_document_age on acme_knowledge_document (project_id, created_at)`);
    this.addSql(
      `create index acme_knowledge_document_words on acme_knowledge_document using gin (to_tsvector('simple', text))`,
    );
  }
}
