import { Migration } from '@mikro-orm/migrations';

/** Counts the time that a run has computed, because its limit applies across all processes that continue it. */
export class CountComputingOfRuns extends Migration {
  override up(): void {
    this.addSql('alter table tool_run add column computed_ms integer not null default 0');
  }
}
