import { Migration } from '@mikro-orm/migrations';

/** Processes of the version before write people without their identity, which is OpenID Connect. */
export class LetPluginsIdentifyPeople extends Migration {
  override up(): void {
    this.addSql('alter table console_session add column identity text');
  }
}
