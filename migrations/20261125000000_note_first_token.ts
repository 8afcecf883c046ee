import { Migration } from '@mikro-orm/migrations';

/**
 * Percentiles of the time to first token read it from a column, because reading it from the JSON of a million calls
 * takes seconds. Calls that were written before have no value in it: rewriting all of them would take longer than a
 * migration may.
 */
export class NoteFirstToken extends Migration {
  override up(): void {
    this.addSql('alter table ledger_row add column first_token_ms integer');
  }
}
