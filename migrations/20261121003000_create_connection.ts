import { Migration } from '@mikro-orm/migrations';

export class CreateConnection extends Migration {
  override up(): void {
    // Only secrets_sealed contains secrets; fields_json has masks in their places.
    this.addSql(`
      create table connection (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        name text not null,
        provider text not null check (provider in ('API', 'Vendor1', 'CloudVendor1', 'Vendor2')),
        model text not null,
        model_type text,
        status text not null check (status in ('ACTIVE', 'INACTIVE')),
        fields_json text not null,
        secrets_sealed text not null,
        created_at timestamptz not null,
        modified_at timestamptz not null
      )`);
    this.addSql(`create index connection_project on connection (project_id, id)`);
  }
}
