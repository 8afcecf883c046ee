import { Migration } from '@mikro-orm/migrations';

/** Leaves the failed spans that others send out of the index, so that their number does not slow its reader. */
export class FindFailedCalls extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists observation_failed');
    this.addSql(`
      create index concurrently observation_failed on observation (project_id, started_at)
      where status = 'failed' and kind = 'GENERATION' and otel_id is null`);
  }
}
