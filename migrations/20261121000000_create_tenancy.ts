import { Migration } from '@mikro-orm/migrations';

export class CreateTenancy extends Migration {
  override up(): void {
    this.addSql(`
      create table project (
        id text collate "C" primary key,
        name text not null,
        created_at timestamptz not null
      )`);
    this.addSql(`
      create table app (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        name text not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create index app_project on app (project_id, id)`);
    this.addSql(`
      create table environment (
        id text collate "C" primary key,
        app_id text collate "C" not null references app on delete cascade,
        name text not null check (name in ('development', 'staging', 'production', 'working-copy')),
        unique (app_id, name)
      )`);
  }
}
