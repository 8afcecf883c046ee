import { Migration } from '@mikro-orm/migrations';

/**
 * Grants DOCK_MANAGE to every scope, and room for it below the ceiling, because until now any key could do what it
 * allows. Scopes that may only send messages are left out: with a second permission their keys would open more than the
 * message route.
 */
export class GrantDockManage extends Migration {
  override up(): void {
    this.addSql(`
      update scope set granted = array_append(granted, 'DOCK_MANAGE'),
        ceiling = case when ceiling is not null then array_append(ceiling, 'DOCK_MANAGE') end
      where granted <> array['HTTP_ASYNC_SEND']`);
  }
}
