import { Migration } from '@mikro-orm/migrations';

/** A subscription may get another address. Attempts that were made before have no value in the column. */
export class KeepTheAddressOfAnAttempt extends Migration {
  override up(): void {
    this.addSql('alter table webhook_attempt add column url text null');
  }
}
