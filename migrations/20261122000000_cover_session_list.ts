import { Migration } from '@mikro-orm/migrations';

/** Lets the sessions of an app in a time, an environment or from a source be counted in the index alone. */
export class CoverSessionList extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An interrupted earlier attempt leaves an invalid index behind.
    this.addSql('drop index concurrently if exists session_list_covering');
    this.addSql(`
      create index concurrently session_list_covering on session (app_id, created_at, id)
      include (project_id, environment, source)`);
    this.addSql('drop index concurrently if exists session_list');
  }
}
