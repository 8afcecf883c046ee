import { Migration } from '@mikro-orm/migrations';

export class CreateAccess extends Migration {
  override up(): void {
    this.addSql(`
      create table scope (
        id text collate "C" primary key,
        app_id text collate "C" not null references app,
        name text not null,
        description text not null,
        granted text[] not null,
        ceiling text[],
        created_at timestamptz not null
      )`);
    this.addSql(`create unique index scope_name on scope (app_id, lower(name))`);
    this.addSql(`
      create table api_key (
        id text collate "C" primary key,
        scope_id text collate "C" not null references scope,
        name text not null,
        hint text not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz not null
      )`);
    this.addSql(`create unique index api_key_name on api_key (scope_id, lower(name)) where revoked_at is null`);
    this.addSql(`create index api_key_scope on api_key (scope_id)`);
    // A key has one value, and during the grace period of a rotation also the earlier ones.
    this.addSql(`
      create table api_key_value (
        digest text collate "C" primary key,
        key_id text collate "C" not null references api_key on delete cascade,
        valid_until timestamptz
      )`);
    this.addSql(`create index api_key_value_key on api_key_value (key_id)`);
    // The use of a key has a row of its own, because transactions of the key's requests lock the key's row.
    this.addSql(`
      create table api_key_use (
        key_id text collate "C" primary key references api_key on delete cascade,
        last_used_at timestamptz not null
      )`);
    this.addSql(`
      create table admin_key (
        id text collate "C" primary key,
        name text not null,
        digest text collate "C" not null unique,
        revoked_at timestamptz,
        created_at timestamptz not null
      )`);
    this.addSql(`create unique index admin_key_name on admin_key (lower(name)) where revoked_at is null`);
  }
}
