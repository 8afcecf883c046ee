import { Migration } from '@mikro-orm/migrations';

export class CreateAuditEntry extends Migration {
  override up(): void {
    // There are no foreign keys, because the subject of an entry may be deleted. The type `json` stores its text
    // unchanged.
    this.addSql(`
      create table audit_entry (
        id text collate "C" primary key,
        at timestamptz not null,
        actor_id text collate "C" not null,
        actor_kind text not null check (actor_kind in ('admin', 'key', 'system')),
        actor_label text not null,
        request_id text collate "C",
        operation text,
        kind text not null,
        target_id text collate "C" not null,
        project_id text collate "C",
        change text not null check (change in ('created', 'changed', 'deleted')),
        before json,
        after json
      )`);
    this.addSql(`create index audit_entry_project on audit_entry (project_id, id)`);
    this.addSql(`create index audit_entry_target on audit_entry (target_id, id)`);
    this.addSql(`create index audit_entry_actor on audit_entry (actor_id, id)`);
    this.addSql(`create index audit_entry_at on audit_entry (at)`);
    this.addSql(`create index audit_entry_project_at on audit_entry (project_id, at)`);
  }
}
