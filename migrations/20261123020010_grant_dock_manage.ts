import { Migration } from '@mikro-orm/migrations';

/**
 * Until now any key could do what DOCK_MANAGE is for, so every scope gets it, and the room for it below its ceiling. A
 * scope that only sends messages could not: with a second permission its keys would open more than the message route.
 */
export class GrantDockManage extends Migration {
  override up(): void {
    this.addSql(`
      update scope set granted = array_append(granted, 'DOCK_MANAGE'),
        ceiling = case when ceiling is not null then array_append(ceiling, 'DOCK_MANAGE') end
      where granted <> array['HTTP_ASYNC_SEND']`);
  }
}
