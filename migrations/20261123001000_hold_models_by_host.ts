import { Migration } from '@mikro-orm/migrations';

/**
 * Gives a process that hosts models one lease, instead of one for each deployment and replica. Deleting its row
 * releases its deployments and deletes its replicas. The foreign key of deployments comes first, so that deleting a
 * host locks its deployments before their replicas, as deleting a deployment does.
 */
export class HoldModelsByHost extends Migration {
  override up(): void {
    this.addSql(`
      update model_deployment d set holder = null
      where not exists (select from model_host h where h.holder = d.holder) and holder is not null`);
    this.addSql(`delete from model_replica r where not exists (select from model_host h where h.holder = r.holder)`);
    this.addSql(`
      alter table model_deployment drop column lease_until,
        add foreign key (holder) references model_host on delete set null`);
    this.addSql(`
      alter table model_replica drop column lease_until,
        add foreign key (holder) references model_host on delete cascade`);
    this.addSql(`create index model_deployment_holder on model_deployment (holder)`);
    this.addSql(`create index model_replica_holder on model_replica (holder)`);
  }
}
