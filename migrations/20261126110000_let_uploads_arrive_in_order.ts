import { Migration } from '@mikro-orm/migrations';

/**
 * An upload over tus has the metadata that its client sent, which the protocol returns unchanged. Uploads in chunks have
 * none. A process of the release before creates only those, and completes both.
 */
export class LetUploadsArriveInOrder extends Migration {
  override up(): void {
    this.addSql('alter table upload_session add column tus_metadata text');
  }
}
