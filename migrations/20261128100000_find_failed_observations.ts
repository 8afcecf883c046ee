import { Migration } from '@mikro-orm/migrations';

/** Counts the failed calls of the last hour without reading those that succeeded. */
export class FindFailedObservations extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists observation_failed');
    this.addSql(`
      create index concurrently observation_failed on observation (project_id, started_at)
      where status = 'failed'`);
  }
}
