import { Migration } from '@mikro-orm/migrations';

/** A search reads the traces of an app along this index, the latest first. */
export class IndexTracesByApp extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An index that is built beside the traffic waits for the transactions that are under way.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists trace_of_app');
    this.addSql('create index concurrently trace_of_app on trace (app_id, started_at, id)');
    this.addSql('reset lock_timeout');
  }
}
