import { Migration } from '@mikro-orm/migrations';

export class CreateDockJob extends Migration {
  override up(): void {
    this.addSql(`
      create table dock_job (
        id text collate "C" primary key,
        project_id text collate "C" not null references project,
        target_id text collate "C" not null,
        job_type text not null check (job_type in ('TOOLS', 'MODELS', 'GUARDRAILS')),
        action text not null check (action in ('IMPORT', 'EXPORT', 'DEPLOY', 'UNDEPLOY')),
        export_job_id text collate "C",
        data jsonb,
        status text not null check (status in ('IN_PROGRESS', 'SUCCESS', 'FAILED')),
        job_id text collate "C",
        attempts integer not null,
        percentage_complete integer not null check (percentage_complete between 0 and 100),
        stage text,
        response jsonb,
        error_code text,
        error_message text,
        created_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        check ((status = 'IN_PROGRESS') = (finished_at is null)),
        check ((status = 'FAILED') = (error_code is not null))
      )`);
    // One job runs for a target at a time, whatever caller starts it.
    this.addSql(`create unique index dock_job_running on dock_job (target_id) where status = 'IN_PROGRESS'`);
    this.addSql(`create index dock_job_project on dock_job (project_id, id)`);
    this.addSql(`create index dock_job_finished on dock_job (finished_at)`);
  }
}
