import { Migration } from '@mikro-orm/migrations';

/**
 * Totals read thousands of sums and of each only how many it counts: with that in the index they do without the table,
 * as long as it is vacuumed before much of it has changed.
 */
export class SumFromIndex extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An index that is built beside the traffic waits for the transactions that are under way.
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
