import { Migration } from '@mikro-orm/migrations';

/** The pause after an outage grew with every attempt that did not count, such as each suspension. */
export class CountOutagesOfJobs extends Migration {
  override up(): void {
    this.addSql('alter table job add column outages integer not null default 0');
  }
}
