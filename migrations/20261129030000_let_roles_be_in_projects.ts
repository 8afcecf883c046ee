import { Migration } from '@mikro-orm/migrations';

/** Keys without a project, and people without roles in projects, have their role in the whole installation, as before. */
export class LetRolesBeInProjects extends Migration {
  override up(): void {
    this.addSql('alter table admin_key add column project_id text collate "C" references project');
    this.addSql('create index admin_key_project on admin_key (project_id)');
    this.addSql('alter table console_session add column person_project_roles jsonb');
  }
}
