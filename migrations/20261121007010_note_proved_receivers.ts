import { Migration } from '@mikro-orm/migrations';

/** Since when a receiver takes callbacks without having failed once; empty where it has not shown yet that it does. */
export class NoteProvedReceivers extends Migration {
  override up(): void {
    this.addSql(`alter table webhook_subscription add column proved_at timestamptz`);
  }
}
