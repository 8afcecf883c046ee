import { Migration } from '@mikro-orm/migrations';

export class CreateServiceProcess extends Migration {
  override up(): void {
    this.addSql(`
      create table service_process (
        id text collate "C" primary key,
        name text not null,
        role text not null,
        version text not null,
        started_at timestamptz not null,
        seen_at timestamptz not null
      )`);
    this.addSql(`create index service_process_seen on service_process (seen_at)`);
  }
}
