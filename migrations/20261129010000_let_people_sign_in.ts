import { Migration } from '@mikro-orm/migrations';

/** Processes of the version before write rows without a person, so the columns may be null. */
export class LetPeopleSignIn extends Migration {
  override up(): void {
    this.addSql(
      'alter table console_session add column subject text, add column person_name text, add column person_role text',
    );
  }
}
