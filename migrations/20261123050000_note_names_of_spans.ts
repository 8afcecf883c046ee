import { Migration } from '@mikro-orm/migrations';

/** The ids of OpenTelemetry, so that its users recognize their traces and spans. */
export class NoteNamesOfSpans extends Migration {
  override up(): void {
    this.addSql('alter table trace add column otel_id text collate "C"');
    this.addSql('alter table observation add column otel_id text collate "C"');
  }
}
