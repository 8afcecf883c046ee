import { Migration } from '@mikro-orm/migrations';

export class GiveJobsPlaces extends Migration {
  override up(): void {
    this.addSql(`
      alter table job
        add column project_id text collate "C",
        add column width smallint not null default 1 check (width between 1 and 100),
        add column place smallint check (place between 1 and width),
        add column claim uuid,
        add column forgiven integer not null default 0,
        add column every integer check (every > 0)`);

    // A lane has as many places as its width. A job with a place waits for its time, runs, or is suspended; a job
    // without one is queued. The database therefore limits the running jobs of a lane, and a worker that looks for work
    // does not read queued jobs.
    this.addSql(`update job set place = 1 where state in ('running', 'suspended')`);
    this.addSql(`
      alter table job
        add constraint job_place_while_running check (place is not null or state not in ('running', 'suspended')),
        add constraint job_no_place_once_ended check (place is null or state not in ('done', 'failed'))`);
    this.addSql(`create unique index job_place on job (lane, place) where place is not null`);
    this.addSql(`drop index job_lane_taken`);

    this.addSql(`
      create index job_due on job (coalesce(project_id, ''), run_at, seq) where state = 'queued' and place is not null`);
    this.addSql(`create index job_in_line on job (lane, seq) where state = 'queued' and place is null`);
    this.addSql(`
      create index job_in_line_by_time on job (lane, run_at, seq)
      where state = 'queued' and place is null and width > 1`);
    this.addSql(`drop index job_lane`);

    this.addSql(`create unique index job_recurring on job (name) where every is not null`);

    // Indexes for the administration, whose queries must not become slower with the number of ended jobs.
    this.addSql(`create index job_failed on job (name, id) where state = 'failed'`);
    this.addSql(`create index job_of_project on job (project_id, id) where project_id is not null`);
    this.addSql(`create index job_of_lane on job (lane, id) where lane <> id`);
  }
}
