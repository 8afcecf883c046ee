import { Migration } from '@mikro-orm/migrations';

export class CreateModelPrice extends Migration {
  override up(): void {
    this.addSql(`
      create table model_price (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        model text not null,
        provider text not null,
        input numeric not null,
        cached_input numeric,
        output numeric not null,
        reasoning numeric,
        created_at timestamptz not null
      )`);
    // A provider of '' stands for any provider.
    this.addSql(`create unique index model_price_of on model_price (project_id, model, provider)`);
    this.addSql(`create index model_price_project on model_price (project_id, id)`);
  }
}
