import { Migration } from '@mikro-orm/migrations';

export class CreateModelReplica extends Migration {
  override up(): void {
    // The replicas that serve at the moment, and the hosts that could. Both are deleted when their leases are not
    // renewed.
    this.addSql(`
      create table model_replica (
        id text collate "C" primary key,
        deployment_id text collate "C" not null references model_deployment on delete cascade,
        holder text not null,
        host text not null,
        address text not null,
        token_sealed text not null,
        started_at timestamptz not null,
        lease_until timestamptz not null
      )`);
    this.addSql(`create index model_replica_deployment on model_replica (deployment_id)`);
    this.addSql(`create index model_replica_lease on model_replica (lease_until)`);
    this.addSql(`
      create table model_host (
        holder text primary key,
        host text not null,
        room integer not null,
        problem text,
        lease_until timestamptz not null
      )`);
    this.addSql(`create index model_host_lease on model_host (lease_until)`);
  }
}
