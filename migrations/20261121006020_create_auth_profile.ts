import { Migration } from '@mikro-orm/migrations';

/**
 * The providers at which users sign in so that tools may act for them, the sign-ins in progress, and the resulting
 * tokens.
 */
export class CreateAuthProfile extends Migration {
  override up(): void {
    this.addSql(`
      create table auth_profile (
        id text collate "C" primary key,
        app_id text collate "C" not null references app on delete cascade,
        idp_name text not null,
        authorization_url text not null,
        token_url text not null,
        client_id text not null,
        client_secret_sealed text not null,
        scopes text not null,
        sso_type text not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create unique index auth_profile_name on auth_profile (app_id, idp_name)`);
    // The id is a digest of the state, so that a reader of this table cannot sign in with it.
    this.addSql(`
      create table auth_flow (
        id text collate "C" primary key,
        profile_id text collate "C" not null references auth_profile on delete cascade,
        user_id text collate "C" not null references app_user on delete cascade,
        verifier_sealed text not null,
        expires_at timestamptz not null,
        used_at timestamptz
      )`);
    this.addSql(`create index auth_flow_profile on auth_flow (profile_id)`);
    this.addSql(`create index auth_flow_user on auth_flow (user_id)`);
    this.addSql(`create index auth_flow_age on auth_flow (expires_at)`);
    this.addSql(`
      create table user_token (
        id text collate "C" primary key,
        profile_id text collate "C" not null references auth_profile on delete cascade,
        user_id text collate "C" not null references app_user on delete cascade,
        tokens_sealed text not null,
        expires_at timestamptz,
        updated_at timestamptz not null,
        unique (profile_id, user_id)
      )`);
    this.addSql(`create index user_token_age on user_token (updated_at)`);
    this.addSql(`create index user_token_user on user_token (user_id)`);
  }
}
