import { Migration } from '@mikro-orm/migrations';

/** An empty list stands for processes of an earlier release, which do not say which queues they serve. */
export class ListTheQueuesOfAProcess extends Migration {
  override up(): void {
    this.addSql(`alter table service_process add column queues jsonb not null default '[]'`);
  }
}
