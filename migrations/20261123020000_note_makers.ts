import { Migration } from '@mikro-orm/migrations';

/**
 * Whose keys made a tool, a version or a model, and started a dock job. Nothing refers to the scope: what it made stays
 * when it goes. Of what there is already nobody knows it.
 */
export class NoteMakers extends Migration {
  override up(): void {
    for (const table of ['tool', 'tool_version', 'model', 'dock_job']) {
      this.addSql(`alter table ${table} add column scope_id text collate "C"`);
    }
  }
}
