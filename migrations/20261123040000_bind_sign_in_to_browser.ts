import { Migration } from '@mikro-orm/migrations';

/**
 * Binds a sign-in to the browser that began it; its page asks for the code that the conversation shows. Sign-ins that
 * began before have neither, and end within an hour.
 */
export class BindSignInToBrowser extends Migration {
  override up(): void {
    this.addSql(`
      alter table auth_profile
        add column requires_code boolean not null default true,
        add column issuer text`);
    this.addSql(`
      alter table auth_flow
        add column code_digest text,
        add column tries integer not null default 0,
        add column browser_digest text`);
  }
}
