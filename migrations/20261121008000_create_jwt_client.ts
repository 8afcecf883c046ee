import { Migration } from '@mikro-orm/migrations';

export class CreateJwtClient extends Migration {
  override up(): void {
    // Only key_sealed contains the secret or public key, and also the previous one while it is replaced.
    this.addSql(`
      create table jwt_client (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        name text not null,
        algorithm text not null check (algorithm in ('HS256', 'RS256')),
        key_hint text not null,
        key_sealed text not null,
        previous_key_sealed text,
        previous_until timestamptz,
        require_exp boolean not null,
        enforce_jti boolean not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create index jwt_client_project on jwt_client (project_id, id)`);
    this.addSql(`
      create table used_token (
        client_id text collate "C" not null,
        digest text collate "C" not null,
        usable_until timestamptz not null,
        primary key (client_id, digest)
      )`);
    this.addSql(`create index used_token_time on used_token (usable_until)`);
    this.addSql(`alter table audit_entry drop constraint audit_entry_actor_kind_check`);
    this.addSql(`
      alter table audit_entry add constraint audit_entry_actor_kind_check
        check (actor_kind in ('admin', 'key', 'jwtClient', 'system')) not valid`);
  }
}
