import { Migration } from '@mikro-orm/migrations';

/** Keeps with a tool why its import failed. Tools whose imports failed before have no reason. */
export class NoteFailuresOfTools extends Migration {
  override up(): void {
    this.addSql('alter table tool add column failure jsonb');
  }
}
