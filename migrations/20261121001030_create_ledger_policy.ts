import { Migration } from '@mikro-orm/migrations';

/** What a project's ledger does with prompts and answers, where it is not the ordinary. */
export class CreateLedgerPolicy extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_policy (
        project_id text collate "C" primary key references project on delete cascade,
        payloads text not null check (payloads in ('show', 'omit', 'drop'))
      )`);
  }
}
