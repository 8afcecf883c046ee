import { Migration } from '@mikro-orm/migrations';

/** Existing keys could do everything, so they become keys of owners. Processes of the version before write no role. */
export class GiveAdminKeysRoles extends Migration {
  override up(): void {
    this.addSql(`alter table admin_key add column role text not null default 'owner'`);
  }
}
