import { Migration } from '@mikro-orm/migrations';

/** A run may compute for so long, whichever processes go on with it. */
export class CountComputingOfRuns extends Migration {
  override up(): void {
    this.addSql('alter table tool_run add column computed_ms integer not null default 0');
  }
}
