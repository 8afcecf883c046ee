import { Migration } from '@mikro-orm/migrations';

/** Plugins bring protocols of their own, so the table no longer knows all names of providers. */
export class TakeConnectionsOfAnyProtocol extends Migration {
  override up(): void {
    this.addSql(`alter table connection drop constraint connection_provider_check`);
  }
}
