import { Migration } from '@mikro-orm/migrations';

/** How a project's ledger treats prompts and answers, where that differs from the default. */
export class CreateLedgerPolicy extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_policy (
        project_id text collate "C" primary key references project on delete cascade,
        payloads text not null check (payloads in ('show', 'omit', 'drop'))
      )`);
  }
}
