import { Migration } from '@mikro-orm/migrations';

/**
 * A process that hosts models has one lease, not one for each deployment and replica beside it. What it served goes
 * with its row. Deployments come first, so that whoever takes a host out locks them before their replicas, as whoever
 * deletes a deployment does.
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
