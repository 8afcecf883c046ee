import { Migration } from '@mikro-orm/migrations';

export class CreateModelDeployment extends Migration {
  override up(): void {
    // The process that serves a deployment writes `holder`, `lease_until`, `progress` and `trouble` without the ORM.
    this.addSql(`
      create table model_deployment (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        model_id text collate "C" not null references model on delete cascade,
        base_model_id text collate "C" references model on delete set null,
        number integer not null,
        name text not null,
        model_type text not null check (model_type in ('openSource', 'fineTune')),
        hyper_parameters jsonb not null,
        scaling_parameters jsonb not null,
        device_type text not null,
        optimization_info jsonb,
        host text,
        state text not null check (state in ('STARTING', 'LIVE', 'ENDED', 'FAILED')),
        failure jsonb,
        holder text,
        lease_until timestamptz,
        progress integer not null default 0,
        trouble jsonb,
        created_at timestamptz not null,
        live_from timestamptz,
        live_until timestamptz,
        unique (model_id, number)
      )`);
    this.addSql(`
      create unique index model_deployment_of_model on model_deployment (model_id) where state in ('STARTING', 'LIVE')`);
    this.addSql(`create index model_deployment_served on model_deployment (host) where state in ('STARTING', 'LIVE')`);
    this.addSql(`create index model_deployment_name on model_deployment (project_id, name) where state = 'LIVE'`);
    this.addSql(`create index model_deployment_base on model_deployment (base_model_id)`);
  }
}
