import { Migration } from '@mikro-orm/migrations';

export class CreateModel extends Migration {
  override up(): void {
    // A model is deleted together with its upload, if that is abandoned or deleted before it is completed.
    this.addSql(`
      create table model (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        upload_id text collate "C" references upload_session on delete cascade,
        file_id text collate "C" references file on delete set null,
        name text not null,
        kind text not null check (kind in ('model', 'adapter', 'dataset')),
        is_adapter boolean not null,
        is_fine_tuned boolean not null,
        state text not null check (state in ('IMPORTING', 'READY_TO_DEPLOY', 'FAILED', 'DEPLOYING', 'DEPLOYED')),
        file_name text not null,
        size bigint not null,
        facts jsonb,
        failure jsonb,
        deployments integer not null,
        was_deployed boolean not null,
        created_at timestamptz not null,
        changed_at timestamptz not null,
        check (upload_id is null or state = 'IMPORTING'),
        check ((state = 'FAILED') = (failure is not null))
      )`);
    this.addSql(`create index model_project on model (project_id, id)`);
    this.addSql(`create index model_upload on model (upload_id)`);
    this.addSql(`create index model_file on model (file_id)`);
  }
}
