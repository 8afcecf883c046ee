import { Migration } from '@mikro-orm/migrations';

/**
 * Totals read the count of thousands of sums. With the count in the index they need not read the table, as long as the
 * table is vacuumed before much of it has changed.
 */
export class SumFromIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An index that is built concurrently waits for the running transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists ledger_rollup_sums');
    this.addSql(`
      create index concurrently ledger_rollup_sums on ledger_rollup (project_id, grain, dim, bucket) include (n)`);
    this.addSql('drop index concurrently if exists ledger_rollup_dim');
    this.addSql('reset lock_timeout');
    this.addSql(`
      alter table ledger_rollup set (
        autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)`);
  }
}
