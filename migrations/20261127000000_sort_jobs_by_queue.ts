import { Migration } from '@mikro-orm/migrations';

/**
 * A process may serve some of the queues only, so the indexes in which workers look for jobs begin with the queue.
 * A process of the release before writes no queue. Its jobs go to `upkeep`, as those do that are already there.
 */
export class SortJobsByQueue extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table job add column if not exists queue text collate "C" not null default 'upkeep'`);
    // An index that is built concurrently waits for the running transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists job_due_by_queue');
    this.addSql(`
      create index concurrently job_due_by_queue on job (queue, coalesce(project_id, ''), run_at, seq)
      where state = 'queued' and place is not null`);
    this.addSql('drop index concurrently if exists job_suspended_by_queue');
    this.addSql(`
      create index concurrently job_suspended_by_queue on job (queue, run_at) where state = 'suspended'`);
    this.addSql('drop index concurrently if exists job_lease_by_queue');
    this.addSql(`
      create index concurrently job_lease_by_queue on job (queue, lease_until) where state = 'running'`);
    for (const index of ['job_due', 'job_suspended', 'job_lease'])
      this.addSql(`drop index concurrently if exists ${index}`);
    this.addSql('reset lock_timeout');
  }
}
