import { Migration } from '@mikro-orm/migrations';

/** The attempts at a job belong to the trace of the request that added it. The column is null while none is recorded. */
export class KeepTheTraceOfAJob extends Migration {
  override up(): void {
    this.addSql('alter table job add column trace_parent text null');
  }
}
