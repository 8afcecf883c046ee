import { Migration } from '@mikro-orm/migrations';

export class CreateProjectRetention extends Migration {
  override up(): void {
    // A row exists only where a project has a period that differs from the default.
    this.addSql(`
      create table project_retention (
        project_id text collate "C" references project on delete cascade,
        name text,
        days integer not null check (days > 0),
        primary key (project_id, name)
      )`);
    this.addSql(`create index project_retention_name on project_retention (name)`);
  }
}
