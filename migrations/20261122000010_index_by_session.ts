import { Migration } from '@mikro-orm/migrations';

/** Finds what was done for a session when the session ends, and when its user is erased. */
export class IndexBySession extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists tool_run_session');
    this.addSql('create index concurrently tool_run_session on tool_run (session_id) where session_id is not null');
    this.addSql('drop index concurrently if exists webhook_message_session');
    this.addSql('create index concurrently webhook_message_session on webhook_message (session_id)');
  }
}
