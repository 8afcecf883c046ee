import { Migration } from '@mikro-orm/migrations';

const INDEXES = {
  run_unfinished: 'run (session_id) where (finished_at is null) is true',
  session_open: 'session (active_part) where (ended_at is null) is true',
  job_in_line: `job (lane, seq) where (state = 'queued' and place is null) is true`,
  job_lease_by_queue: `job (queue, lease_until) where (state = 'running') is true`,
  job_suspended_by_queue: `job (queue, run_at) where (state = 'suspended') is true`,
};

/**
 * PostgreSQL found single rows by their ids in these indexes, and read all of an index for it, if the index was empty
 * when it was last analyzed. With these conditions it reads them only for statements that are about all their rows.
 */
export class KeepPartialIndexesForTheirReaders extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An index that is built concurrently waits for the running transactions.
    this.addSql('set lock_timeout = 0');
    for (const [name, definition] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists ${name}_new`);
      this.addSql(`create index concurrently ${name}_new on ${definition}`);
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`alter index ${name}_new rename to ${name}`);
    }
    this.addSql('reset lock_timeout');
  }
}
