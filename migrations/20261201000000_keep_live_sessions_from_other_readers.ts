import { Migration } from '@mikro-orm/migrations';

/**
 * PostgreSQL found a live session by its reference in this index, and read all of the index for it, if the index was empty
 * when it was last analyzed. With this condition it reads the index only for the search for idle sessions.
 */
export class KeepLiveSessionsFromOtherReaders extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An index that is built concurrently waits for the running transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists session_open_new');
    this.addSql('create index concurrently session_open_new on session (active_part) where (ended_at is null) is true');
    this.addSql('drop index concurrently if exists session_open');
    this.addSql('alter index session_open_new rename to session_open');
    this.addSql('reset lock_timeout');
  }
}
