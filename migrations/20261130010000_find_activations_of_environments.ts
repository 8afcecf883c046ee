import { Migration } from '@mikro-orm/migrations';

/** Serves the pages of the activations of an environment, and the search for the version to roll back to. */
export class FindActivationsOfEnvironments extends Migration {
  override up(): void {
    this.addSql('create index agent_activation_of_environment on agent_activation (environment_id, number)');
  }
}
