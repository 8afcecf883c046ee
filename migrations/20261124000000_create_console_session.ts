import { Migration } from '@mikro-orm/migrations';

export class CreateConsoleSession extends Migration {
  override up(): void {
    this.addSql(`
      create table console_session (
        id text collate "C" primary key,
        admin_key_id text collate "C" references admin_key on delete cascade,
        settings_key_digest text collate "C",
        digest text collate "C" not null unique,
        user_agent text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        revoked_at timestamptz
      )`);
    this.addSql(`create index console_session_admin_key on console_session (admin_key_id)`);
    this.addSql(`create index console_session_expires_at on console_session (expires_at)`);
  }
}
