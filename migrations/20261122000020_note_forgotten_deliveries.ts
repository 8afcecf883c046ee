import { Migration } from '@mikro-orm/migrations';

/** Callbacks that are still promised when their user is erased: they go as soon as they have ended. */
export class NoteForgottenDeliveries extends Migration {
  override up(): void {
    this.addSql('alter table webhook_delivery add column is_forgotten boolean not null default false');
  }
}
