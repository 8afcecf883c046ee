import { Migration } from '@mikro-orm/migrations';

/** Keeps with each failed call of the service which model failed it, so that no other one of its name is blamed. */
export class NoteFailedModels extends Migration {
  override up(): void {
    // The column has no foreign key, because a trace is kept when the connection or the model is deleted.
    this.addSql('alter table observation add column failed_model_id text collate "C"');
  }
}
