import { Migration } from '@mikro-orm/migrations';

/** Callbacks that are still owed when their user is erased. They are deleted as soon as they have ended. */
export class NoteForgottenDeliveries extends Migration {
  override up(): void {
    this.addSql('alter table webhook_delivery add column is_forgotten boolean not null default false');
  }
}
