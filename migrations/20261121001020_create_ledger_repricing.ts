import { Migration } from '@mikro-orm/migrations';

export class CreateLedgerRepricing extends Migration {
  override up(): void {
    this.addSql(`
      create table ledger_repricing (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        from_date timestamptz not null,
        to_date timestamptz not null,
        state text not null check (state in ('IN_PROGRESS', 'SUCCESS', 'FAILED')),
        total integer not null,
        looked_at integer not null,
        changed integer not null,
        after_time timestamptz,
        after_number bigint,
        created_at timestamptz not null,
        finished_at timestamptz
      )`);
    this.addSql(`create index ledger_repricing_project on ledger_repricing (project_id, created_at)`);
    this.addSql(`create index ledger_repricing_created on ledger_repricing (created_at)`);
  }
}
