import { Migration } from '@mikro-orm/migrations';

/** Since when a receiver has taken callbacks without a failure; empty until it has taken one. */
export class NoteProvedReceivers extends Migration {
  override up(): void {
    this.addSql(`alter table webhook_subscription add column proved_at timestamptz`);
  }
}
