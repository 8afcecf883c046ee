import { Migration } from '@mikro-orm/migrations';

export class CreateJob extends Migration {
  override up(): void {
    this.addSql(`
      create table job (
        id text collate "C" primary key,
        name text not null,
        lane text collate "C" not null,
        data jsonb not null,
        state text not null check (state in ('queued', 'running', 'suspended', 'done', 'failed')),
        seq bigint not null generated always as identity,
        run_at timestamptz not null,
        attempt integer not null default 0,
        lease_until timestamptz,
        progress jsonb,
        error text,
        created_at timestamptz not null,
        finished_at timestamptz
      )`);
    // One job of a lane runs at a time. A unique index ensures it, so that no two processes can disagree.
    this.addSql(`create unique index job_lane_taken on job (lane) where state in ('running', 'suspended')`);
    this.addSql(`create index job_lane on job (lane, seq) where state = 'queued'`);
    this.addSql(`create index job_suspended on job (run_at) where state = 'suspended'`);
    this.addSql(`create index job_lease on job (lease_until) where state = 'running'`);
    this.addSql(`create index job_finished on job (finished_at) where state in ('done', 'failed')`);
  }
}
