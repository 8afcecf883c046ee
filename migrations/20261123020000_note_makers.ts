import { Migration } from '@mikro-orm/migrations';

/**
 * Records the scope whose keys made a tool, a version or a model, or started a dock job. There is no foreign key,
 * because what a scope made stays after the scope is deleted. For existing rows the maker is unknown.
 */
export class NoteMakers extends Migration {
  override up(): void {
    for (const table of ['tool', 'tool_version', 'model', 'dock_job']) {
      this.addSql(`alter table ${table} add column scope_id text collate "C"`);
    }
  }
}
