import { Migration } from '@mikro-orm/migrations';

/** How many sessions an app had in a time, in an environment or from a source, is counted in the index alone. */
export class CoverSessionList extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Where an earlier attempt was interrupted, it has left one behind that is of no use.
    this.addSql('drop index concurrently if exists session_list_covering');
    this.addSql(`
      create index concurrently session_list_covering on session (app_id, created_at, id)
      include (project_id, environment, source)`);
    this.addSql('drop index concurrently if exists session_list');
  }
}
