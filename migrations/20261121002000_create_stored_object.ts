import { Migration } from '@mikro-orm/migrations';

export class CreateStoredObject extends Migration {
  override up(): void {
    // The table has the objects that are or may be in the storage without a row that refers to them.
    this.addSql(`
      create table unkept_object (
        name text collate "C" primary key,
        due_at timestamptz not null,
        is_doomed boolean not null default false
      )`);
    this.addSql(`create index unkept_object_due on unkept_object (due_at)`);
    // The only row has the storage location that all processes of this installation have to share.
    this.addSql(`
      create table storage_place (
        is_only boolean primary key default true check (is_only),
        place text not null
      )`);
  }
}
